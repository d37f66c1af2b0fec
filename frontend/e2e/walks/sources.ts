// Where an agent searches: chosen on its gene page, seen by the other person, and
// asked by hand.
import { gone, Person, reloadChangesNothing, seen } from "../harness/browser";
import { same, until } from "../harness/checks";
import { like, words } from "../harness/words";
import { adaPassword, boPassword, product, type World } from "../harness/world";

const { sources: said, materials, tasks } = words;

export async function sources(world: World): Promise<void> {
  const { browser, server } = world;
  const ada = await (await Person.enter(browser, server.url, "ada")).signedIn(adaPassword);
  const bo = await (await Person.enter(browser, server.url, "bo")).signedIn(boPassword);
  world.people.push(ada, bo);
  const { agent } = await bo.account.post<{ agent: string }>(`/api/agents?product=${product}`, { name: "换来源", search: "末日塔防", sources: ["fast", "competitor"] });
  const step = world.checks.walk("sources");
  const page = await bo.open(`/a/${agent}/gene`);
  const section = page.getByRole("region", { name: like(said.title) });

  await step("a source that is not set up says so, and can only be left", async () => {
    await seen(section.getByText(said.state.missing).first());
    await section.getByRole("link", { name: said.edit }).click();
    const dialog = page.getByRole("dialog");
    const competitor = dialog.getByRole("checkbox", { name: materials.source.competitor });
    same(await competitor.isChecked(), true, "what the agent uses is ticked");
    await competitor.uncheck();
    same(await competitor.isDisabled(), true, "it cannot be taken back in");
    await dialog.getByRole("checkbox", { name: materials.source.fast }).uncheck();
    await dialog.getByRole("button", { name: said.editing.save }).click();
    await seen(dialog.getByText(said.missing));
    await dialog.getByRole("checkbox", { name: materials.source.fast }).check();
    await dialog.getByRole("button", { name: said.editing.save }).click();
    await gone(dialog);
    const { sources: kept } = await ada.account.get<{ sources: string[] }>(`/api/agents/${agent}`);
    same(kept.join(), "fast", "what the server keeps");
    same(await section.getByText(said.state.on, { exact: true }).count(), 1, "sources in use on the page");
    await reloadChangesNothing(page);
  });
  await step("one source is searched by hand", async () => {
    await section.getByRole("link", { name: said.find_with.replace("{{name}}", materials.source.fast) }).click();
    const dialog = page.getByRole("dialog");
    same(await dialog.getByRole("radio", { name: materials.source.fast, exact: true }).isChecked(), true, "the source is chosen");
    await dialog.getByRole("button", { name: materials.more.start }).click();
    await gone(dialog);
    await until("the search by hand is over", async () => (await bo.account.runs(agent)).some((r) => r.trigger === "hand" && r.state === "done"), 45_000);
    await page.goto(`${server.url}/a/${agent}/tasks`);
    await seen(page.getByRole("row", { name: like(`${tasks.work.search} · ${tasks.source.fast}`) }));
  });
  await ada.leave();
  await bo.leave();
}
