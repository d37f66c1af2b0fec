// Two people come in: the first by the link in the terminal, the second invited.
import { Person, reloadChangesNothing, seen } from "../harness/browser";
import { ok, until } from "../harness/checks";
import { like, words } from "../harness/words";
import { adaPassword, boPassword, product, type World } from "../harness/world";

const { account, link, signin, frame } = words.common;

export async function enter(world: World): Promise<{ ada: Person; bo: Person }> {
  const { server, browser } = world;
  const step = world.checks.walk("enter");
  const ada = await Person.enter(browser, server.url, "ada");
  const bo = await Person.enter(browser, server.url, "bo");
  world.people.push(ada, bo);

  await step("the one-time link makes the first administrator", async () => {
    await until("a link is printed", () => server.link !== "");
    await byLink(ada, new URL(server.link).pathname, adaPassword, link.first_admin);
  });
  await step("the link works once", async () => {
    const eve = await Person.enter(browser, server.url, "eve");
    const page = await eve.open(new URL(server.link).pathname);
    await seen(page.getByText(link.dead));
    await eve.leave();
  });
  await step("a reload keeps the session", async () => {
    const page = ada.pages[0];
    ok(page !== undefined, "no page");
    await reloadChangesNothing(page);
  });
  await step("a second person joins by invitation", async () => {
    // Products and invitations have no page yet.
    await ada.account.signIn("ada", adaPassword);
    await ada.account.post("/api/products", { id: product, name: "游戏" });
    const { path } = await ada.account.post<{ path: string }>("/api/invites", { products: [product] });
    await byLink(bo, path, boPassword, link.invite);
    await bo.account.signIn("bo", boPassword);
  });
  await step("a wrong password is refused in words, the right one signs in", async () => {
    const third = await Person.enter(browser, server.url, "bo");
    const page = await third.open("/");
    await page.getByLabel(account.name, { exact: true }).fill("bo");
    await page.getByLabel(account.password, { exact: true }).fill("not the password");
    await page.getByRole("button", { name: signin.submit }).click();
    await seen(page.getByText(words.common.problem.bad_credentials));
    await page.getByLabel(account.password, { exact: true }).fill(boPassword);
    await page.getByRole("button", { name: signin.submit }).click();
    await inside(third);
    await third.leave();
  });
  return { ada, bo };
}

async function byLink(person: Person, path: string, password: string, title: string): Promise<void> {
  const page = await person.open(path);
  await seen(page.getByRole("heading", { name: title }));
  await page.getByLabel(account.name, { exact: true }).fill(person.name);
  await page.getByLabel(account.password, { exact: true }).fill(password);
  await page.getByLabel(account.again, { exact: true }).fill("something else");
  await page.getByRole("button", { name: link.submit }).click();
  await seen(page.getByText(words.common.field.password_differs));
  await page.getByLabel(account.again, { exact: true }).fill(password);
  await page.getByRole("button", { name: link.submit }).click();
  await inside(person);
}

/** Signed in: the bar says who, and that the model is a rehearsal. */
async function inside(person: Person): Promise<void> {
  const page = person.pages.at(-1);
  ok(page !== undefined, "no page");
  await seen(page.getByText(like(frame.rehearsal)));
  ok(new URL(page.url()).pathname === "/", `signed in at ${page.url()}`);
}
