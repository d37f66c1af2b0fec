// From a version on the gene page back to the room as it was then.
import { Person, reloadChangesNothing, seen } from "../harness/browser";
import { ok, same, until } from "../harness/checks";
import { makeAgent, makeCard } from "../harness/rooms";
import { like, words } from "../harness/words";
import { boPassword, type World } from "../harness/world";

const w = words.room.past;

export async function past(world: World): Promise<void> {
  const { browser, server } = world;
  const bo = await (await Person.enter(browser, server.url, "bo")).signedIn(boPassword);
  world.people.push(bo);
  const step = world.checks.walk("past");
  const agent = await makeAgent(bo.account, "从前");
  const card = await makeCard(bo.account, agent);
  const { seq } = await bo.account.post<{ seq: number }>(`/api/agents/${agent}/cards/${card}/apply`);
  await bo.account.post(`/api/agents/${agent}/messages`, { text: "这是后来说的" });
  const page = await bo.open(`/a/${agent}/gene`);

  await step("the link at a version opens the room as it was, and says what it is", async () => {
    const entry = page.getByRole("region", { name: words.gene.versions }).getByRole("listitem").filter({ hasText: "V2" });
    await entry.getByRole("link", { name: words.gene.room_then }).click();
    await seen(page.getByRole("heading", { name: w.title.replace("{{moment}}", "V2") }));
    const main = page.getByRole("main");
    await seen(main.getByText(w.end));
    await seen(main.getByText(words.card.past.applied));
    same(await main.getByText("这是后来说的").count(), 0, "rows of what came later");
    same(await main.getByRole("textbox").count(), 0, "boxes to write in");
    same(await main.getByRole("button", { name: words.card.apply.all, exact: true }).count(), 0, "buttons to decide with");
  });
  await step("its rows are those of that moment, byte for byte", async () => {
    await until("the room is read to its end", async () => (await bo.account.rows(agent)).some((r) => r.body.text === "这是后来说的"));
    const now = (await bo.account.rows(agent)).filter((r) => r.rev <= seq);
    const then = (await bo.account.get<{ rows: { seq: number; rev: number }[] }>(`/api/agents/${agent}/timeline?limit=200&as_of=${seq}`)).rows;
    ok(then.length >= now.length && now.length > 2, `${then.length} rows then, ${now.length} unchanged since`);
    for (const row of now) same(then.find((r) => r.seq === row.seq), row, `row ${row.seq}`);
  });
  await step("a reload changes nothing, and there is a way back", async () => {
    await reloadChangesNothing(page);
    await page.getByRole("link", { name: w.back }).click();
    await page.waitForURL(/\/gene/);
    await seen(page.getByText(like(words.gene.title)).first());
  });
  await bo.leave();
}
