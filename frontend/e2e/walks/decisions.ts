// The card in four hands: both press at once, one rejects, one edits, the base moves.
import type { Locator } from "playwright-core";

import { Person, reloadChangesNothing, seen } from "../harness/browser";
import { ok, same, until } from "../harness/checks";
import { Room } from "../harness/room";
import { makeAgent, makeCard } from "../harness/rooms";
import { like, words } from "../harness/words";
import { adaPassword, boPassword, type World } from "../harness/world";

const w = words.card;

export async function decisions(world: World): Promise<void> {
  const { browser, server } = world;
  const ada = await (await Person.enter(browser, server.url, "ada")).signedIn(adaPassword);
  const bo = await (await Person.enter(browser, server.url, "bo")).signedIn(boPassword);
  world.people.push(ada, bo);
  const agent = await makeAgent(bo.account, "决定");
  const path = `/a/${agent}/gene`;
  const hers = new Room(await ada.open(path), agent);
  const his = new Room(await bo.open(path), agent);
  const step = world.checks.walk("card");
  const stateOf = async (card: string) => (await bo.account.cards(agent)).find((c) => c.card === card);

  await step("both press apply at once: one version, and the loser reads who was faster", async () => {
    const id = await makeCard(bo.account, agent);
    const buttons = [hers, his].map((room) => cardIn(room, id).getByRole("button", { name: w.apply.all, exact: true }));
    for (const button of buttons) await seen(button);
    // By the clock, inside the pages: from here the first press would reach the other page before the second.
    const at = Date.now() + 400;
    await Promise.all(buttons.map((button) => button.evaluate((el: HTMLElement, when) => { setTimeout(() => { el.click(); }, when - Date.now()); }, at)));
    for (const button of buttons) await until("the buttons are gone", async () => (await button.count()) === 0);
    const card = await until("the card is applied", async () => {
      const c = await stateOf(id);
      return c?.state === "applied" && c;
    });
    same(card.version, 2, "the version");
    const { versions } = await bo.account.get<{ versions: unknown[] }>(`/api/agents/${agent}/gene/versions`);
    same(versions.length, 2, "versions");
    const me = await bo.account.get<{ user: { id: string } }>("/api/session");
    const [winner, loser] = card.closed_by?.endsWith(me.user.id) ? (["bo", hers] as const) : (["ada", his] as const);
    // The other's event may be faster than the own refusal; then the closed card says it.
    await seen(cardIn(loser, id).getByText(like(w.lost.applied.replace("{{name}}", winner))).or(cardIn(loser, id).getByText(like(w.outcome.applied.replace("{{name}}", winner)))));
    await loser.page.reload(); // that it was too late is told once, who decided stays
    await seen(cardIn(loser, id).getByText(like(w.outcome.applied.replace("{{name}}", winner))));
  });
  await step("a reload changes nothing", async () => {
    await until("the gene check is over", async () => (await bo.account.runs(agent)).every((r) => r.state === "done"), 45_000);
    for (const room of [hers, his]) await reloadChangesNothing(room.page);
  }, "beside");
  await step("what is begun on a card while the butler still speaks is not lost when it ends", async () => {
    // As quick as a hand that waits over the button: the butler's last words take a fifth of a second.
    await his.page.evaluate((reject) => {
      const watch = new MutationObserver(() => {
        const button = [...document.querySelectorAll<HTMLElement>("[data-turn][aria-busy=true] [data-card] button")].find((b) => b.textContent.startsWith(reject));
        if (button) {
          watch.disconnect();
          button.click();
          document.documentElement.dataset.pressed = "yes";
        }
      });
      watch.observe(document.body, { subtree: true, childList: true });
    }, w.apply.reject);
    await makeCard(bo.account, agent, "开头太慢，帮我改一下基因");
    await until("nothing is being written", async () => (await his.writing.count()) === 0);
    ok((await his.page.locator("[data-pressed]").count()) === 1, "the card's buttons came only after the answer's end; the check proves nothing");
    await seen(his.log.getByRole("textbox", { name: w.reject.words }), 3_000);
    await his.log.getByRole("button", { name: w.cancel, exact: true }).click();
  }, "beside");
  await step("a rejection takes a reason, and both read it", async () => {
    const id = await makeCard(bo.account, agent, "字幕看不清，帮我改一下基因");
    const card = cardIn(his, id);
    await card.getByRole("button", { name: w.apply.reject, exact: true }).click();
    await card.getByText(w.chip.narrow, { exact: true }).click();
    await card.getByRole("textbox", { name: w.reject.words }).fill("先看一周数据");
    await card.getByRole("button", { name: w.reject.submit, exact: true }).click();
    for (const room of [hers, his]) {
      await seen(cardIn(room, id).getByText(like(w.outcome.rejected.replace("{{name}}", "bo"))));
      await seen(cardIn(room, id).getByText("先看一周数据"));
      same(await cardIn(room, id).getByRole("button", { name: w.apply.all, exact: true }).count(), 0, "apply buttons");
    }
    same((await stateOf(id))?.state, "rejected", "the card");
  });
  await step("by keyboard: E edits, what is applied is what was written", async () => {
    const id = await makeCard(bo.account, agent, "音乐太小声，帮我改一下基因");
    const card = cardIn(hers, id);
    await seen(card);
    await card.focus();
    await hers.page.keyboard.press("e");
    const box = card.getByRole("textbox").first();
    await seen(box);
    await box.press("Control+End");
    await box.pressSequentially("\n手写的一行");
    await card.getByRole("button", { name: w.edit.submit, exact: true }).click();
    await seen(cardIn(his, id).getByText(like(w.outcome.edited.replace("{{name}}", "ada"))));
    const gene = await bo.account.get<{ search: { text: string }; steer: { text: string } }>(`/api/agents/${agent}/gene`);
    ok(`${gene.search.text}\n${gene.steer.text}`.includes("手写的一行"), "the edit is not in the gene");
  });
  await step("a base that moved: the card says what moved, and cannot be applied", async () => {
    const id = await makeCard(bo.account, agent, "颜色太暗，帮我改一下基因");
    await seen(cardIn(his, id).getByRole("button", { name: w.apply.all, exact: true }));
    const gene = await ada.account.get<{ version: number; search: { text: string } }>(`/api/agents/${agent}/gene`);
    await ada.account.post(`/api/agents/${agent}/gene/edit`, { base_version: gene.version, search: `${gene.search.text}\n人写的一行`, summary: "加一行" });
    for (const room of [hers, his]) {
      const card = cardIn(room, id);
      await seen(card.getByText(like(w.outcome.moved)));
      await seen(card.getByText("人写的一行"));
      same(await card.getByRole("button", { name: w.apply.all, exact: true }).count(), 0, "apply buttons");
      await seen(card.getByRole("link", { name: like(w.moved.rebase) }));
      for (const name of [w.moved.ask, w.moved.discard]) await seen(card.getByRole("button", { name, exact: true }));
    }
    same((await stateOf(id))?.state, "expired", "the card");
    await reloadChangesNothing(his.page);
  });
  await ada.leave();
  await bo.leave();
}

/** A card is found by its id, never by its words. */
function cardIn(room: Room, id: string): Locator {
  return room.log.locator(`[data-card="${id}"]`);
}
