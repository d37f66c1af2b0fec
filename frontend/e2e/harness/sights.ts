// Every page there is, with how to know that it has arrived.
import type { Page } from "playwright-core";

import type { Account } from "./account";
import { phone, seen, type Look } from "./browser";
import { until } from "./checks";

export type Sight = {
  name: string;
  path: string;
  /** Seen without a session. */
  guest?: boolean;
  /** Seen by an administrator, to whom it shows more. */
  admin?: boolean;
  /** Opened over another page: not a first visit of its own. */
  dialog?: boolean;
  arrived: (page: Page, look: Look) => Promise<void>;
};

export async function pagesOf(account: Account, agent: string): Promise<Sight[]> {
  const [material] = await account.materials(agent);
  const run = (await account.runs(agent)).at(-1);
  if (!material || !run) throw new Error("the agent has no materials or runs to look at");
  const [board] = await account.boards(agent);
  const [film] = await account.films(agent);
  const at = `/a/${agent}`;
  const made: Sight[] = [
    ...(board ? [{ name: "a board", path: `${at}/boards/${board.board}`, arrived: rests }] : []),
    ...(film ? [{ name: "a film", path: `${at}/films/${film.film}`, arrived: rests }] : []),
  ];
  return [
    { name: "sign in", path: "/signin", guest: true, arrived: rests },
    { name: "a dead link", path: "/link/none", guest: true, arrived: rests },
    { name: "no such page", path: "/nowhere", arrived: rests },
    { name: "agents", path: "/", arrived: rests },
    { name: "system", path: "/system", arrived: rests },
    { name: "system for an administrator", path: "/system", admin: true, arrived: rests },
    { name: "materials", path: `${at}/materials`, arrived: rests },
    { name: "a material", path: `${at}/materials?m=${material.material}`, dialog: true, arrived: inDialog },
    { name: "a search by hand", path: `${at}/materials?find=any`, dialog: true, arrived: inDialog },
    { name: "boards", path: `${at}/boards`, arrived: rests },
    { name: "films", path: `${at}/films`, arrived: rests },
    ...made,
    { name: "gene", path: `${at}/gene`, arrived: rests },
    { name: "the sources", path: `${at}/gene?sources=true`, dialog: true, arrived: inDialog },
    { name: "the room as it was", path: `${at}/past?at=V1`, arrived: rests },
    { name: "tasks", path: `${at}/tasks`, arrived: rests },
    { name: "a task", path: `${at}/tasks?run=${run.run}`, dialog: true, arrived: inDialog },
    { name: "room", path: `${at}/room`, arrived: rests },
  ];
}

async function inDialog(page: Page): Promise<void> {
  await seen(page.getByRole("dialog"));
  await rests(page);
}

/** Nothing is a skeleton any more, pictures are there, and two looks show the same. */
async function rests(page: Page): Promise<void> {
  let before = "";
  await until("the page rests", async () => {
    const now = await page.locator("body").ariaSnapshot();
    const loading = await page.locator(".skeleton, [aria-busy=true]").count();
    const pictures = await page.evaluate(() => Array.from(document.images).every((i) => i.complete || i.getBoundingClientRect().top > window.innerHeight));
    const done = loading === 0 && pictures && now === before && now.length > 40;
    before = now;
    return done;
  });
}

/** On a phone the room is a page of its own. */
export const fits = (sight: Sight, look: Look): boolean => sight.name !== "room" || look.viewport.width === phone.width;
