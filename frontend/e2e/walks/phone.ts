// T7: a card made while nobody is there, the server restarted, the page opened on
// a phone.
import { Person, phone, reloadChangesNothing, seen, zhLight } from "../harness/browser";
import { ok, same, until } from "../harness/checks";
import { makeAgent, makeCard } from "../harness/rooms";
import { answerAfter, Room } from "../harness/room";
import { like, words } from "../harness/words";
import { boPassword, type World } from "../harness/world";

export async function phones(world: World): Promise<void> {
  const { browser, server } = world;
  const step = world.checks.walk("T7");
  const bo = await Person.enter(browser, server.url, "bo", { ...zhLight, viewport: phone, touch: true });
  world.people.push(bo);
  let room: Room | null = null;
  let agent = "";

  await step("a card of a time when nobody was there is on the phone, after a restart, with buttons big enough", async () => {
    await bo.account.signIn("bo", boPassword);
    agent = await makeAgent(bo.account, "没人在");
    await makeCard(bo.account, agent);
    await server.stop();
    await server.start();
    await bo.signedIn(boPassword);
    const page = await bo.open(`/a/${agent}/materials`);
    room = new Room(page, agent);
    await toRoom(room);
    await page.getByRole("button", { name: words.card.look, exact: true }).click();
    const apply = page.getByRole("button", { name: words.card.apply.all, exact: true });
    await seen(apply);
    const box = await apply.boundingBox();
    ok(box !== null && box.height >= 40, `the button is ${box?.height ?? 0} px high`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    ok(wide <= 0, `the page is ${wide} px wider than the phone`);
  });
  await step("applying it makes exactly one version", async () => {
    ok(room !== null, "no room");
    const apply = room.page.getByRole("button", { name: words.card.apply.all, exact: true });
    await apply.dblclick(); // a nervous thumb
    await seen(room.page.getByText(like(words.card.outcome.applied)));
    const { versions } = await bo.account.get<{ versions: unknown[] }>(`/api/agents/${agent}/gene/versions`);
    same(versions.length, 2, "versions");
    await until("no button is left", async () => (await apply.count()) === 0);
    await until("the gene check is over", async () => (await bo.account.runs(agent)).every((r) => r.state === "done"), 45_000);
    await reloadChangesNothing(room.page);
  });
  await step("nothing that the butler says is cut off at the edge", async () => {
    ok(room !== null, "no room");
    const material = (await bo.account.materials(agent)).find((m) => m.title.length > 40);
    ok(material !== undefined, "the clip with the long title was not found");
    const { seq } = await bo.account.post<{ seq: number }>(`/api/agents/${agent}/messages`, { text: "这条怎么样？数据多少？", refs: [{ type: "material", id: material.material }] });
    const turn = await answerAfter(bo.account, agent, seq);
    await room.holds(turn);
    const edge = await room.log.evaluate((log) => log.getBoundingClientRect().right - 8);
    const cut = await room.row(turn).locator("p, li, button").evaluateAll((all, right) => all.filter((el) => el.getBoundingClientRect().right > right).map((el) => el.textContent.slice(0, 60)), edge);
    same(cut, [], "what runs over the edge");
  });
  await bo.leave();
}

/** On a phone the room is a tab. */
export async function toRoom(room: Room): Promise<void> {
  const tab = room.page.getByRole("link", { name: words.common.frame.room });
  await until("the room is shown", async () => {
    if (await room.box.isVisible()) return true;
    if (await tab.first().isVisible()) await tab.first().click();
    return false;
  });
}
