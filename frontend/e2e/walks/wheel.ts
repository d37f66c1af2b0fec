// The wheel, turned by hand by two people: find, react, talk, propose, apply, find again.
import { type Person, reloadChangesNothing, seen } from "../harness/browser";
import { profile } from "../harness/clips";
import { ok, same, until } from "../harness/checks";
import { answerAfter, Room, wordsOf } from "../harness/room";
import { criticism } from "../harness/rooms";
import { like, words } from "../harness/words";
import type { World } from "../harness/world";

const { common, materials, tasks, card: cards} = words;

/** Turns it; the agent, for walks that want one with a past. */
export async function wheel(world: World, ada: Person, bo: Person): Promise<string> {
  const step = world.checks.walk("wheel");
  let agent = "";
  let hers = new Room(await ada.open("/"), agent);
  let his = new Room(await bo.open("/"), agent);
  const both = () => [his, hers];
  const reload = async () => {
    await reloadChangesNothing(his.page, "bo's page");
    await reloadChangesNothing(hers.page, "ada's page");
  };
  const turnTo = async (tab: string) => {
    for (const { page } of both()) await page.getByRole("link", { name: tab }).first().click();
  };

  await step("bo creates an agent, which starts its first search", async () => {
    const { page } = his;
    await page.getByRole("button", { name: common.create.open }).first().click();
    const form = page.getByRole("dialog", { name: common.create.title });
    await form.getByRole("button", { name: common.create.submit }).click();
    await seen(form.getByText(common.create.name_missing));
    await form.getByLabel(common.create.name, { exact: true }).fill(profile.name);
    await form.getByLabel(common.create.brief).fill(profile.brief);
    await form.getByLabel(common.create.search, { exact: true }).fill(profile.search);
    await form.getByRole("button", { name: common.create.submit }).click();
    await page.waitForURL(/\/a\/[0-9A-Z]{26}\/materials/);
    agent = /\/a\/([0-9A-Z]{26})/.exec(page.url())?.[1] ?? "";
    his = new Room(page, agent);
  });
  await step("ada finds it in her list and enters", async () => {
    await hers.page.getByRole("link", { name: profile.name }).first().click();
    await hers.page.waitForURL(new RegExp(`/a/${agent}`));
    hers = new Room(hers.page, agent);
    for (const room of both()) await room.live();
    // Presence: each sees that two are here.
    for (const { page } of both()) await seen(page.getByRole("button", { name: /ada.+bo|bo.+ada/ }));
  });
  await step("materials appear in both without anything being pressed", async () => {
    await until("the first search ends", async () => (await bo.account.runs(agent)).some((r) => r.trigger === "first" && r.state === "done"), 45_000);
    const found = await bo.account.materials(agent);
    ok(found.length >= 3, `only ${found.length} found`);
    for (const { page } of both()) for (const m of found) await seen(page.getByRole("link", { name: materials.tile.open.replace("{{title}}", m.title) }));
  });
  await step("what was looked at for a second counts as seen", async () => {
    const found = await bo.account.materials(agent);
    await until("all are seen", async () => {
      for (const m of found) await his.page.getByRole("link", { name: materials.tile.open.replace("{{title}}", m.title) }).scrollIntoViewIfNeeded();
      return (await bo.account.materials(agent)).every((m) => m.state === "seen");
    });
    // The pages go on calling them new for as long as they are open.
    for (const { page } of both()) await page.reload();
  });
  await step("after that a reload changes nothing", reload, "beside");

  let disliked = { material: "", title: "" };
  await step("a material opens: it plays, its cuts are marked, its analysis is there", async () => {
    disliked = (await bo.account.materials(agent)).find((m) => m.title.includes("连锁爆炸")) ?? disliked;
    ok(disliked.material !== "", "the clip with three colours was not found");
    const { page } = his;
    const name = materials.tile.open.replace("{{title}}", disliked.title);
    await page.getByRole("link", { name }).click();
    const detail = page.getByRole("dialog");
    await seen(detail);
    ok(page.url().includes(`m=${disliked.material}`), `the address is ${page.url()}`);
    await seen(detail.getByText(materials.detail.section.shot_rhythm));
    await seen(detail.getByText(materials.detail.section.highlight));
    const video = detail.locator("video");
    await detail.getByRole("button", { name: materials.player.play, exact: true }).first().click();
    await until("it plays", () => video.evaluate((v: HTMLVideoElement) => v.currentTime > 0.2));
    await video.evaluate((v: HTMLVideoElement) => { v.pause(); v.currentTime = 0; });
    await seen(detail.getByText(like(materials.player.cuts.replace("{{n}}", "2"))).or(detail.getByLabel(like(materials.player.cuts.replace("{{n}}", "2")))), 5_000);
  });
  await step("with the detail open a reload changes nothing", async () => reloadChangesNothing(his.page), "beside");
  await step("a dislike with words is kept and stands in both rooms", async () => {
    const detail = his.page.getByRole("dialog");
    await detail.getByRole("button", { name: materials.react.dislike, exact: true }).first().click();
    const sentence = detail.getByRole("textbox", { name: materials.react.sentence });
    await sentence.fill("爆炸感不够");
    await detail.getByRole("button", { name: materials.react.send, exact: true }).click();
    const row = await bo.account.row(agent, "the words are recorded", (r) => r.type === "feedback" && r.body.words === "爆炸感不够");
    await seen(detail.getByText("爆炸感不够"));
    await his.page.keyboard.press("Escape");
    for (const room of both()) await room.shows(row);
  });
  await step("after that a reload changes nothing", reload, "beside");

  let card = "";
  await step("bo speaks; both watch the answer being written", async () => {
    const watched = await Promise.all(both().map((room) => room.watch()));
    await his.say(criticism);
    await seen(his.log.getByText(criticism, { exact: true }), 1_000);
    const asked = await wordsOf(bo.account, agent, criticism);
    const turn = await answerAfter(bo.account, agent, asked.seq);
    for (const room of both()) await room.holds(turn);
    for (const lengths of watched) {
      const grown = await lengths();
      ok(grown.length >= 4, `the answer grew like this: ${grown.join(", ")}`);
    }
    card = turn.body.blocks?.find((b) => b.type === "card")?.ref ?? "";
    ok(card !== "", "the answer has no card");
  });
  await step("the card is in both rooms, with what it changes, the full text and the evidence", async () => {
    for (const room of both()) {
      const { log } = room;
      await seen(log.getByRole("button", { name: cards.apply.all, exact: true }));
      await room.followed();
      for (const tab of [cards.tab.full, like(cards.tab.evidence), cards.tab.change]) await log.getByRole("tab", { name: tab }).first().click();
      await seen(log.locator("ins"));
      await room.goToEnd();
    }
  });
  await step("after that a reload changes nothing", reload, "beside");
  await step("ada applies it: bo's buttons go, and his card says who", async () => {
    await hers.log.getByRole("button", { name: cards.apply.all, exact: true }).click();
    await decided(his, "ada");
    await decided(hers, "ada");
    const [now] = (await bo.account.cards(agent)).filter((c) => c.card === card);
    same([now?.state, now?.version], ["applied", 2], "the card");
  });
  await step("after that a reload changes nothing", async () => {
    await until("the gene check is over", async () => (await bo.account.runs(agent)).every((r) => r.state === "done"), 45_000);
    await reload();
  }, "beside");
  await step("the gene page shows version 2 and who wrote which line", async () => {
    await turnTo(common.frame.gene);
    for (const { page } of both()) {
      await seen(page.getByRole("main").getByText("V2").first());
      for (const line of profile.search.split("\n")) await seen(page.getByRole("main").getByText(line));
    }
    await reload();
  });
  await step("the task center shows the gene check with version 2; its detail opens by the address", async () => {
    await turnTo(common.frame.tasks);
    for (const { page } of both()) await seen(page.getByRole("main").getByText(tasks.trigger.gene_check).filter({ visible: true }));
    await reload();
    const run = (await bo.account.runs(agent)).find((r) => r.trigger === "gene_check");
    await his.page.goto(`${bo.base}/a/${agent}/tasks?run=${run?.run ?? ""}`);
    const detail = his.page.getByRole("dialog");
    await seen(detail.getByText(like(tasks.detail.attempt)));
    await reloadChangesNothing(his.page);
  });
  return agent;
}

/** A closed card: no buttons, and who closed it. */
async function decided(room: Room, by: string): Promise<void> {
  await until("the card has no buttons", async () => (await room.log.getByRole("button", { name: cards.apply.all, exact: true }).count()) === 0);
  await seen(room.log.getByText(like(cards.outcome.applied.replace("{{name}}", by))));
}
