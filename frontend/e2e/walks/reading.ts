// T21: Pinyin and Enter, reading back while an answer is written, and what a
// screen reader is told.
import type { Row } from "../harness/account";
import { Person, seen } from "../harness/browser";
import { ok, same, until } from "../harness/checks";
import { answerAfter, Room, wordsOf } from "../harness/room";
import { longSearch, makeAgent, recital } from "../harness/rooms";
import { like, words } from "../harness/words";
import { boPassword, type World } from "../harness/world";

declare global {
  interface Window {
    /** What a screen reader would have said. */
    heard: string[];
  }
}

/** Enough rows that the room can be scrolled. */
const rows = 60;

export async function reading(world: World): Promise<void> {
  const { browser, server } = world;
  const bo = await (await Person.enter(browser, server.url, "bo")).signedIn(boPassword);
  world.people.push(bo);
  const agent = await makeAgent(bo.account, "读写", longSearch(24));
  const room = new Room(await bo.open(`/a/${agent}/materials`), agent);
  const { page } = room;
  await room.live();
  const step = world.checks.walk("T21");

  await step("Enter that confirms a Pinyin candidate sends nothing", async () => {
    const cdp = await page.context().newCDPSession(page);
    const enter229 = { key: "Process", code: "Enter", windowsVirtualKeyCode: 229, nativeVirtualKeyCode: 229 };
    await room.box.focus();
    await cdp.send("Input.imeSetComposition", { text: "bao zha", selectionStart: 7, selectionEnd: 7 });
    await cdp.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...enter229 });
    await cdp.send("Input.insertText", { text: "爆炸" });
    await cdp.send("Input.dispatchKeyEvent", { type: "keyUp", ...enter229 });
    // Safari ends the composition first: only the old key code tells.
    await room.box.evaluate((el) => {
      for (const init of [{ isComposing: true }, { keyCode: 229 }]) {
        el.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", code: "Enter", bubbles: true, cancelable: true, ...init }));
      }
    });
    same(await room.box.inputValue(), "爆炸", "what stands in the box");
    ok(!(await bo.account.rows(agent)).some((r) => r.type === "chat"), "a message was sent");
  });
  await step("Shift+Enter breaks the line, a draft survives a reload, Enter sends", async () => {
    await room.box.press("Shift+Enter");
    await room.box.pressSequentially("要更大");
    await page.reload();
    await until("the draft is back", async () => (await room.box.inputValue()) === "爆炸\n要更大");
    await room.live();
    await room.box.press("Enter");
    await wordsOf(bo.account, agent, "爆炸\n要更大");
    same(await room.box.inputValue(), "", "what stands in the box");
  });

  await step("reading back while an answer is written: the view does not move, and a pill tells of the new", async () => {
    for (let i = 0; i < rows; i++) await bo.account.post(`/api/agents/${agent}/messages`, { text: `第 ${i + 1} 句闲话` });
    await until("the butler is done", async () => (await bo.account.rows(agent)).filter((r) => r.type === "chat").every((r) => r.body.turn), 45_000);
    const last = (await bo.account.rows(agent)).at(-1);
    ok(last !== undefined, "no rows");
    await room.shows(last);
    await room.log.hover();
    await page.mouse.wheel(0, -1200);
    const anchor = await steady(room);
    const { seq } = await bo.account.post<{ seq: number }>(`/api/agents/${agent}/messages`, { text: recital });
    const jump = page.getByRole("button", { name: like(words.room.new_rows) });
    const moved: number[] = [];
    const end = Date.now() + 30_000;
    const answered: Row[] = [];
    const wait = answerAfter(bo.account, agent, seq, 30_000).then((row) => answered.push(row));
    while (answered.length === 0 && Date.now() < end) moved.push((await topOf(room, anchor.key)) - anchor.top);
    await wait;
    const [turn] = answered;
    ok(turn !== undefined, "no answer");
    ok(moved.length > 20, `looked only ${moved.length} times`);
    const most = Math.max(...moved.map(Math.abs));
    ok(most <= 1, `the view moved by ${most} px while an answer was written`);
    await seen(jump);
    await jump.click();
    await room.shows(turn);
    await until("the pill is gone", async () => !(await jump.isVisible()));
  });

  await step("a screen reader hears one start and one end of an answer, and no token of it", async () => {
    await page.evaluate(() => {
      const heard: string[] = [];
      window.heard = heard;
      const speaks = (el: Element | null): Element | null => el?.closest("[aria-live=polite],[aria-live=assertive],[role=status],[role=alert],[role=log]:not([aria-live=off])") ?? null;
      new MutationObserver((changes) => {
        for (const c of changes) {
          const region = speaks(c.target instanceof Element ? c.target : c.target.parentElement);
          const text = region?.getAttribute("role") === "log" ? `log: ${c.target.textContent ?? ""}` : (region?.textContent ?? "");
          if (region && text.trim() !== "" && heard.at(-1) !== text.trim()) heard.push(text.trim());
        }
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    });
    const { seq } = await bo.account.post<{ seq: number }>(`/api/agents/${agent}/messages`, { text: recital });
    await room.holds(await answerAfter(bo.account, agent, seq, 30_000));
    const heard = await page.evaluate(() => window.heard);
    same(heard.filter((h) => h.includes(words.room.told.start)).length, 1, `starts heard in ${heard.slice(0, 12).join(" | ")}`);
    same(heard.filter((h) => h.includes(words.room.told.end)).length, 1, `ends heard in ${heard.slice(0, 12).join(" | ")}`);
    const tokens = heard.filter((h) => h.startsWith("log:")).length;
    ok(tokens <= 4, `the log speaks ${tokens} times during one answer: ${heard.slice(0, 12).join(" | ")}`);
  });
  await bo.leave();
}

/** A row that stands still in the middle of the view, and where. */
async function steady(room: Room): Promise<{ key: string; top: number }> {
  let before = { key: "", top: 0 };
  return until("the scrolled view rests", async () => {
    const box = await room.log.boundingBox();
    ok(box !== null, "the log is not drawn");
    const now = await room.log.locator("[data-key]").evaluateAll((all, middle) => {
      const el = (all as HTMLElement[]).find((e) => e.getBoundingClientRect().top > middle);
      return { key: el?.dataset.key ?? "", top: el?.getBoundingClientRect().top ?? 0 };
    }, box.y + box.height / 3);
    const rests = now.key !== "" && now.key === before.key && now.top === before.top;
    before = now;
    return rests && now;
  });
}

async function topOf(room: Room, key: string): Promise<number> {
  return room.log.locator(`[data-key="${key}"]`).evaluate((el) => el.getBoundingClientRect().top);
}
