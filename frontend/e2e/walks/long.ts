// A room of 2,000 rows.
import type { Account } from "../harness/account";
import { Person } from "../harness/browser";
import { ok, same, until } from "../harness/checks";
import { profile } from "../harness/clips";
import { nameOf, Room } from "../harness/room";
import { boPassword, product, type World } from "../harness/world";

declare global {
  interface Window {
    /** Milliseconds from the navigation until the last row was in view. */
    openedAfter?: number;
  }
}

const count = 2_000;

/** Fills a room through the API; takes a while and can run beside other walks. */
export async function fillRoom(account: Account): Promise<string> {
  const { agent } = await account.post<{ agent: string }>(`/api/agents?product=${product}`, { ...profile, name: "长谈", sources: ["fast"] });
  let next = 0;
  const speaker = async () => {
    while (next < count) await account.post(`/api/agents/${agent}/messages`, { text: `第 ${++next} 句：这段对话很长，要一直翻得动` });
  };
  await Promise.all(Array.from({ length: 8 }, speaker));
  await until("the butler has answered", async () => {
    const { rows } = await account.get<{ rows: { type: string; body: { turn?: string } }[] }>(`/api/agents/${agent}/timeline?limit=200`);
    return rows.every((r) => r.type !== "chat" || r.body.turn !== undefined);
  }, 60_000);
  return agent;
}

export async function long(world: World, filled: Promise<string>): Promise<void> {
  const { browser, server } = world;
  const bo = await (await Person.enter(browser, server.url, "bo")).signedIn(boPassword);
  world.people.push(bo);
  const agent = await filled;
  const rows = await bo.account.rows(agent);
  const all = rows.map(nameOf);
  const step = world.checks.walk("2,000 rows");
  const path = `/a/${agent}/materials`;
  const warm = new Room(await bo.open(path), agent); // fills the browser's cache, as for anybody who comes back
  await warm.live();
  await warm.page.close();
  const page = await bo.context.newPage();
  const room = new Room(page, agent);

  await step("the room opens at its end within 1 s", async () => {
    ok(all.length >= count, `only ${all.length} rows`);
    await page.addInitScript((last) => {
      const look = () => {
        const row = document.querySelector(`[data-key="${last}"]`);
        const log = row?.closest("[role=log]");
        const [box, view] = [row?.getBoundingClientRect(), log?.getBoundingClientRect()];
        if (box && view && box.height > 0 && box.bottom <= view.bottom + 1 && box.bottom > view.top) window.openedAfter = performance.now();
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    }, all.at(-1) ?? "");
    const times: number[] = [];
    for (let i = 0; i < 3; i++) {
      await page.goto(server.url + path);
      times.push(await until("the last row is in view", () => page.evaluate(() => window.openedAfter)));
    }
    const best = Math.min(...times);
    console.log(`      opened after ${times.map((t) => t.toFixed(0)).join(", ")} ms`);
    ok(best <= 1_000, `opened after ${best.toFixed(0)} ms`);
  });

  const live: string[] = [];
  await step("it scrolls to its beginning and shows every row, while new ones arrive", async () => {
    await room.live();
    const drawn = new Set<string>();
    await room.log.hover();
    const first = all[0] ?? "";
    let say = 0;
    await until("the first row is reached", async () => {
      for (const row of await room.rows()) drawn.add(row);
      if (drawn.has(first)) return true;
      if (++say % 6 === 0 && live.length < 20) {
        const { message } = await bo.account.post<{ message: string }>(`/api/agents/${agent}/messages`, { text: `翻看时的第 ${live.length + 1} 句` });
        live.push(message);
      }
      await page.mouse.wheel(0, -900);
      return false;
    }, 60_000);
    const missing = all.filter((row) => !drawn.has(row));
    same(missing.length, 0, `rows never drawn: ${missing.slice(0, 10).join(", ")}`);
    const most = (await room.rows()).length;
    ok(most < 200, `${most} rows are drawn at once`);
  });
  await step("none of the rows that came meanwhile is missing at the end", async () => {
    ok(live.length >= 10, `only ${live.length} rows came meanwhile`);
    await until("the butler is done", async () => (await bo.account.rows(agent)).filter((r) => live.includes(r.ref ?? "")).every((r) => r.body.turn), 45_000);
    const want = (await bo.account.rows(agent)).slice(all.length).map(nameOf);
    const drawn = new Set<string>();
    await page.keyboard.press("End");
    await until("the end is reached", async () => {
      await page.mouse.wheel(0, 100_000);
      return (await room.rows()).includes(want.at(-1) ?? "");
    });
    await until("the rows above are drawn too", async () => {
      for (const row of await room.rows()) drawn.add(row);
      await page.mouse.wheel(0, -300);
      return want.every((row) => drawn.has(row));
    });
  });
  await bo.leave();
}
