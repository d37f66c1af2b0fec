// From an order card to a film: the card is confirmed and the search runs; materials
// become a board; panel 5 is kept through a new version; the film plays as promised.
import type { Locator, Page } from "playwright-core";

import type { Board } from "../harness/account";
import { Person, reloadChangesNothing, seen } from "../harness/browser";
import { ok, same, until } from "../harness/checks";
import { runDone } from "../harness/making";
import { Room } from "../harness/room";
import { makeAgent } from "../harness/rooms";
import { like, words } from "../harness/words";
import { boPassword, type World } from "../harness/world";

const { boards, card, films, materials } = words;
const kept = 5;

export async function making(world: World): Promise<void> {
  const { browser, server } = world;
  const bo = await (await Person.enter(browser, server.url, "bo")).signedIn(boPassword);
  world.people.push(bo);
  const step = world.checks.walk("making");
  const { account } = bo;
  const agent = await makeAgent(account, "从下单到成片");
  const page = await bo.open(`/a/${agent}/materials`);
  const room = new Room(page, agent);
  const button = (name: string | RegExp) => page.getByRole("button", { name, exact: typeof name === "string" });
  let first: Board | undefined;
  let second: Board | undefined;

  await step("the butler proposes a search, nothing runs until somebody confirms, then it runs and says how it ended", async () => {
    await room.live();
    const before = (await account.runs(agent)).length;
    await room.say("再找一批丧尸围城的素材");
    const confirm = room.log.getByRole("button", { name: card.order.confirm });
    await seen(confirm, 30_000);
    same((await account.runs(agent)).length, before, "runs before the nod");
    await confirm.click();
    const run = await until("the search is asked for", async () => (await account.runs(agent)).find((r) => r.trigger === "order"));
    await seen(room.log.getByText(like(card.order.outcome.confirmed)));
    await runDone(account, agent, run.run);
    await room.shows(await account.row(agent, "the search's closing row", (row) => row.type === "run_finished" && row.ref === run.run));
  });

  await step("materials chosen in the grid become a board that cites them", async () => {
    await page.reload();
    const titles: string[] = [];
    for (let i = 0; i < 3; i++) {
      const tile = page.getByRole("article").filter({ has: page.getByRole("button", { name: like(materials.tile.choose) }) }).first();
      titles.push((await tile.getByRole("link").first().innerText()).split("\n")[0] ?? "");
      await tile.hover();
      await tile.getByRole("button", { name: like(materials.tile.choose) }).click();
    }
    await button(materials.board.button).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox").fill("开头就炸，一共八格");
    await dialog.getByRole("button", { name: boards.order.start }).click();
    await openMade(page, boards.made.board);
    await seen(page.getByRole("heading", { level: 1 }));
    first = await until("the board is recorded", async () => (await account.boards(agent)).find((b) => page.url().includes(b.board)));
    ok(first.panels.length >= kept, `the board has ${first.panels.length} panels`);
    const shown = await page.getByRole("article", { name: like(boards.panel.label) }).count();
    same(shown, first.panels.length, "panels on the screen");
    const used = new Set(first.panels.map((p) => p.material));
    const known = await account.materials(agent);
    for (const title of titles) ok(known.some((m) => used.has(m.material) && title.includes(m.title.slice(0, 8))), `${title} is not in the board`);
  });

  await step("a panel shows the picture with which it begins, and plays its stretch", async () => {
    const frame = panel(page, 1).locator("video");
    await until("the first frame is there", () => frame.evaluate((v: HTMLVideoElement) => v.readyState >= 2));
    await panel(page, 1).getByRole("button", { name: boards.panel.play.replace("{{n}}", "1") }).click();
    await until("it plays", () => frame.evaluate((v: HTMLVideoElement) => v.currentTime > 0.2));
    await until("it stops at the end of its stretch", () => frame.evaluate((v: HTMLVideoElement) => v.paused));
  });

  await step("a person changes a caption and takes it back", async () => {
    await button(boards.edit.button).click();
    const caption = page.getByLabel(boards.edit.caption.replace("{{n}}", "2"));
    const was = await caption.inputValue();
    await caption.fill("改过的第二句");
    await button(boards.edit.save).click();
    await seen(panel(page, 2).getByText("改过的第二句"));
    await button(boards.edit.undo).click();
    await seen(panel(page, 2).getByText(was));
    first = (await account.boards(agent)).find((b) => b.board === first?.board);
  });

  await step("feedback on panel 5 keeps it in the new version, word for word and frame for frame", async () => {
    ok(first !== undefined, "no board");
    const keep = boards.keep.label.replace("{{n}}", String(kept));
    await panel(page, kept).getByRole("button", { name: keep, pressed: false }).click();
    await seen(panel(page, kept).getByRole("button", { name: keep, pressed: true }));
    await room.shows(await account.row(agent, "the feedback's row", (row) => row.type === "feedback" && row.body.words === keep));
    await button(boards.order.again_button).click();
    const dialog = page.getByRole("dialog");
    await seen(dialog.getByText(boards.order.kept.replace("{{list}}", String(kept))));
    await dialog.getByRole("textbox").fill("开头太慢，前两格换更近的爆炸");
    await dialog.getByRole("button", { name: boards.order.start }).click();
    const old = first.board;
    await openMade(page, boards.made.board);
    second = await until("the new board is recorded", async () => (await account.boards(agent)).find((b) => b.base === old));
    same(second.panels.find((p) => p.number === kept), first.panels.find((p) => p.number === kept), `panel ${kept} of the new board`);
    ok(JSON.stringify(second.panels) !== JSON.stringify(first.panels), "the new board is the old one");
    ok(page.url().includes(second.board), "the page shows another board");
    await seen(page.getByText(boards.versions));
    await reloadChangesNothing(page, "a board");
  });

  await step("the film of it plays, as long as its board promises", async () => {
    ok(second !== undefined, "no board");
    await button(boards.film.button).click();
    await page.getByRole("dialog").getByRole("button", { name: boards.film.start }).click();
    await openMade(page, boards.made.film);
    const video = page.getByLabel(materials.player.label).locator("video");
    await until("the film is loaded", () => video.evaluate((v: HTMLVideoElement) => v.readyState >= 1 && v.duration > 0));
    const promised = second.panels.reduce((sum, p) => sum + p.seconds, 0);
    const lasts = await video.evaluate((v: HTMLVideoElement) => v.duration);
    ok(Math.abs(lasts - promised) <= 0.1, `the film lasts ${lasts} s, its board promises ${promised} s`);
    await page.getByLabel(materials.player.label).getByRole("button", { name: materials.player.play, exact: true }).first().click();
    await until("it plays", () => video.evaluate((v: HTMLVideoElement) => v.currentTime > 0.3 && !v.paused));
    await video.evaluate((v: HTMLVideoElement) => { v.pause(); });
  });

  await step("the panel that plays stands out; a comment is pinned to a stretch of time; a download is counted once", async () => {
    const board = page.getByRole("region", { name: films.board.title });
    await board.getByRole("button").nth(2).click();
    await until("the third panel stands out", async () => (await board.getByRole("button").nth(2).getAttribute("aria-current")) === "true");
    const bar = await page.getByTestId("range-bar").boundingBox();
    ok(bar !== null, "no bar");
    await page.mouse.move(bar.x + bar.width * 0.2, bar.y + bar.height / 2);
    await page.mouse.down();
    await page.mouse.move(bar.x + bar.width * 0.5, bar.y + bar.height / 2, { steps: 5 });
    await page.mouse.up();
    await page.getByLabel(films.comment.on_range).fill("这一段太暗");
    await page.keyboard.press("Enter");
    await seen(page.getByRole("list", { name: films.bar.pins }).getByRole("button"));
    const [said] = (await account.get<{ items: { words?: string; object: { from?: number; to?: number } }[] }>(`/api/agents/${agent}/feedback?type=film&limit=5`)).items;
    ok(said?.words === "这一段太暗" && (said.object.to ?? 0) > (said.object.from ?? 0), "the comment is not on a stretch");
    const link = page.getByRole("link", { name: films.download });
    const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
    ok((await download.failure()) === null, "the download failed");
    await until("the download is counted", async () => (await account.get<{ films: { downloads: number }[] }>(`/api/agents/${agent}/films`)).films[0]?.downloads === 1);
    await board.getByRole("button").first().click(); // a reload begins at the beginning
    await until("the first panel stands out", async () => (await board.getByRole("button").first().getAttribute("aria-current")) === "true");
    await reloadChangesNothing(page, "a film");
  });
  await bo.leave();
}

const panel = (page: Page, n: number): Locator => page.getByRole("article", { name: boards.panel.label.replace("{{n}}", String(n)), exact: true });

/** Waits until the page says that something was made, and goes to it. */
async function openMade(page: Page, said: string): Promise<void> {
  const pill = page.getByRole("status").filter({ hasText: said });
  await seen(pill, 60_000);
  const [here, link] = [page.url(), pill.getByRole("link", { name: boards.made.open })];
  await link.click();
  await until("the page goes there", () => page.url() !== here);
}
