// The browser, people in it, and what a check may ask of a screen.
import { existsSync } from "node:fs";

import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Locator, type Page } from "playwright-core";

import { Account } from "./account";
import { difference, until } from "./checks";

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export async function launch(): Promise<Browser> {
  const path = process.env.CHROMIUM ?? places.find((place) => existsSync(place));
  if (path === undefined) throw new Error("Chromium is not installed: run .ci/setup test");
  return chromium.launch({
    executablePath: path,
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
      "--disable-sync", "--disable-dev-shm-usage",
    ],
  });
}

export const desktop = { width: 1440, height: 900 };
export const phone = { width: 390, height: 844 };

export type Look = { language: "zh-CN" | "en"; theme: "light" | "dark"; viewport: { width: number; height: number }; touch?: boolean };
export const zhLight: Look = { language: "zh-CN", theme: "light", viewport: desktop };

/** A context as a browser that was set to a look would have it. */
export function dressed(look: Look): BrowserContextOptions {
  return {
    viewport: look.viewport,
    locale: look.language,
    colorScheme: look.theme,
    timezoneId: "Asia/Shanghai",
    ...(look.touch ? { hasTouch: true, isMobile: true } : {}),
  };
}

/** Somebody with a browser of their own. */
export class Person {
  readonly pages: Page[] = [];
  /** Errors of scripts on this person's pages; nobody may have any. */
  readonly broken: string[] = [];
  /** Requests that the server failed to answer, or answered with its own failure. */
  readonly failed: string[] = [];

  private constructor(
    readonly name: string,
    readonly base: string,
    readonly context: BrowserContext,
    /** The same session without a browser. */
    readonly account: Account,
  ) {
    context.setDefaultTimeout(12_000);
    context.on("page", (page) => {
      this.pages.push(page);
      page.on("response", (response) => {
        if (response.status() >= 500) this.failed.push(`${response.status()} ${response.request().method()} ${response.url()}`);
      });
      page.on("requestfailed", (request) => {
        const why = request.failure()?.errorText ?? "";
        if (why !== "net::ERR_ABORTED") this.failed.push(`${why} ${request.method()} ${request.url()}`); // aborted: the page went on
      });
      page.on("pageerror", (error) => this.broken.push(`${new URL(page.url()).pathname}: ${error.message}`));
    });
  }

  static async enter(browser: Browser, base: string, name: string, look: Look = zhLight): Promise<Person> {
    return new Person(name, base, await browser.newContext(dressed(look)), new Account(base));
  }

  /** Brings a session along that was begun without a browser. */
  async signedIn(password: string): Promise<this> {
    await this.account.signIn(this.name, password);
    await this.context.addCookies(this.account.session());
    return this;
  }

  async open(path: string): Promise<Page> {
    const page = await this.context.newPage();
    await page.goto(this.base + path);
    return page;
  }

  async leave(): Promise<void> {
    await this.context.close();
  }
}

// What differs from one look to the next without anything having happened: how
// long ago, and what only says that a picture is loading or playing.
const moving: [RegExp, string][] = [
  [/^ *- (status|alert)(: .*|:)?$\n?/gm, ""], // what was read out is not read out again
  [/^ *- paragraph: 以下是新的$\n?/gm, ""], // it stands where one had read to when the page was opened
  [/\d+\s*(秒钟?|分钟|小时)前?/g, "<ago>"],
  [/刚刚|现在$/gm, "<ago>"],
  [/\d{1,2}:\d{2}(:\d{2})?/g, "<time>"],
  [/ \[active\]/g, ""],
  [/ \[cursor=pointer\]/g, ""],
];

/** What is on the screen, as somebody who cannot see it has it read out. What lies behind a dialog is not asked for. */
export async function screen(page: Page): Promise<string> {
  const dialog = page.getByRole("dialog");
  let text = await ((await dialog.count()) > 0 ? dialog.last() : page.locator("body")).ariaSnapshot();
  for (const [pattern, word] of moving) text = text.replace(pattern, word);
  return text;
}

const restful = 1_200;

/** Reloads the page; the screen must come back as it was. */
export async function reloadChangesNothing(page: Page, whose = ""): Promise<void> {
  let before = "";
  let since = Date.now();
  // The screen may still be arriving, and numbers are read anew a second after something happened.
  await until("the screen rests", async () => {
    const now = await screen(page);
    if (now !== before) [before, since] = [now, Date.now()];
    return Date.now() - since > restful;
  });
  const [path, query] = [new URL(page.url()).pathname, new URL(page.url()).search];
  await page.reload();
  let after = "";
  await until("the screen comes back", async () => {
    after = await screen(page);
    return after === before;
  }, 8_000).catch(() => {
    throw new Error(`a reload changes ${whose === "" ? "the screen" : whose} at ${path}${query}\n${difference(after, before)}`);
  });
}

/** A mark that a reload would wipe off. */
export async function mark(page: Page): Promise<() => Promise<boolean>> {
  const word = String(Math.random());
  await page.evaluate((w) => { document.documentElement.dataset.e2e = w; }, word);
  return async () => (await page.evaluate(() => document.documentElement.dataset.e2e)) === word;
}

export async function seen(what: Locator, within?: number): Promise<void> {
  await what.first().waitFor({ state: "visible", ...(within === undefined ? {} : { timeout: within }) });
}

export async function gone(what: Locator, within?: number): Promise<void> {
  await until(`${String(what)} is gone`, async () => (await what.count()) === 0 || !(await what.first().isVisible()), within);
}

/** Is all of it inside the window? */
export async function onScreen(what: Locator): Promise<boolean> {
  return what.evaluate((el) => {
    const box = el.getBoundingClientRect();
    return box.height > 0 && box.top >= 0 && box.bottom <= window.innerHeight + 1;
  });
}
