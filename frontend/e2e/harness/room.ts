// The room as it stands on one page.
import type { Locator, Page } from "playwright-core";

import type { Account, Row } from "./account";
import { ok, same, until } from "./checks";
import { like, words } from "./words";

const w = words.room;

declare global {
  interface Window {
    /** Lengths that the answer being written has had. */
    grown: Set<number>;
  }
}

export class Room {
  readonly log: Locator;
  readonly box: Locator;
  readonly stop: Locator;
  readonly send: Locator;
  /** The pill that leads back to the end. */
  readonly toEnd: Locator;

  constructor(
    readonly page: Page,
    readonly agent: string,
  ) {
    this.log = page.getByRole("log");
    this.box = page.getByRole("textbox", { name: w.compose.label });
    this.send = page.getByRole("button", { name: w.compose.send, exact: true });
    this.toEnd = page.getByRole("button", { name: new RegExp(`^(${like(w.new_rows).source}|${w.to_end})$`) });
    this.stop = page.getByRole("button", { name: w.compose.stop, exact: true });
  }

  async say(text: string): Promise<void> {
    await this.box.fill(text);
    await this.box.press("Enter");
  }

  row(row: Row): Locator {
    return this.log.locator(`[data-key="${nameOf(row)}"]`);
  }

  /** The rows that are drawn, from top to bottom, as nameOf names them. */
  async rows(): Promise<string[]> {
    return this.log.locator("[data-key]").evaluateAll((all) =>
      (all as HTMLElement[]).filter((el) => /^(row|turn):/.test(el.dataset.key ?? "") && !el.querySelector("[aria-busy=true]")).map((el) => el.dataset.key ?? ""),
    );
  }

  async shows(row: Row, within?: number): Promise<void> {
    await until(`row ${row.seq} (${row.type}) is shown`, () => this.row(row).isVisible(), within);
  }

  /** All that is drawn is the end of the server's list, in its order. */
  async endsLike(rows: Row[], least: number): Promise<void> {
    let [got, want]: string[][] = [[], []];
    await until("the view is the server's order", async () => {
      got = await this.rows();
      want = rows.map(nameOf).slice(-got.length);
      return got.length >= least && String(got) === String(want);
    }).catch((error: unknown) => {
      same(got, want, "rows from top to bottom");
      throw error;
    });
  }

  /** The answer that is being written, as far as it is. */
  get writing(): Locator {
    return this.log.locator("[data-turn][aria-busy=true]");
  }

  /** Waits until an answer is being written and has some length. */
  async streams(length = 12): Promise<void> {
    await until("an answer is being written", async () => (await this.written()).length >= length);
  }

  /** Watches from inside the page how long the answer is while it is written: a quick one is over between two looks from here. */
  async watch(): Promise<() => Promise<number[]>> {
    await this.page.evaluate(() => {
      const grown = (window.grown = new Set<number>());
      new MutationObserver(() => {
        const length = document.querySelector("[data-turn][aria-busy=true]")?.textContent.length ?? 0;
        if (length > 0) grown.add(length);
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    });
    return () => this.page.evaluate(() => [...window.grown]);
  }

  async written(): Promise<string> {
    const one = this.writing.first();
    return (await one.count()) === 0 ? "" : bare(await one.innerText({ timeout: 1_000 }).catch(() => ""));
  }

  /** The recorded answer stands here once, letter by letter, and nothing is being written any more. */
  async holds(turn: Row): Promise<void> {
    await this.shows(turn);
    await until("its end is reached", async () => (await this.row(turn).locator("[aria-busy=true]").count()) === 0);
    await until("nothing is being written", async () => (await this.writing.count()) === 0);
    same(await this.row(turn).count(), 1, "bubbles of one answer");
    const shown = bare(await this.row(turn).innerText());
    // Tool rows stand between the texts, so each is looked for behind the one before.
    let from = 0;
    for (const block of turn.body.blocks ?? []) {
      if (block.type !== "text") continue;
      const want = bare(block.text ?? "");
      const at = shown.indexOf(want, from);
      ok(at >= 0, `the answer differs from the recorded one\n  shown …${shown.slice(-160)}\n  want  …${want.slice(-160)}`);
      from = at + want.length;
    }
  }

  /** Nobody scrolled, so the log has followed its end. */
  async followed(): Promise<void> {
    await until("the log is at its end", async () => !(await this.toEnd.isVisible()));
  }

  /** Back to the end, whatever was opened or read meanwhile. */
  async goToEnd(): Promise<void> {
    await until("the log is at its end", async () => {
      if (!(await this.toEnd.isVisible())) return true;
      await this.toEnd.click();
      return false;
    });
  }

  async live(within?: number): Promise<void> {
    await until("the room is live", async () => (await this.connection()) === "live", within);
  }

  async lost(): Promise<void> {
    await until("the page says that the connection is lost", async () => (await this.connection()) === "reconnecting");
  }

  /** What the page says of its connection. */
  async connection(): Promise<string | null> {
    return this.page.getByTestId("connection").getAttribute("data-state");
  }
}

/** What the log calls a line: an answer keeps its name from its first letter to its row. */
export function nameOf(row: Row): string {
  return row.type === "turn" ? `turn:${row.ref ?? ""}` : `row:${row.seq}`;
}

/** Letters without what markdown or a line break makes of them. */
export function bare(text: string): string {
  return text.replace(/^\s*[-*•]\s+/gm, "").replace(/[\s*_`#>]/g, "");
}

/** The first answer after a row. */
export async function answerAfter(account: Account, agent: string, seq: number, within?: number): Promise<Row> {
  return account.row(agent, "the butler's answer", (row) => row.type === "turn" && row.seq > seq, within);
}

/** The row of somebody's words. */
export async function wordsOf(account: Account, agent: string, text: string): Promise<Row> {
  return account.row(agent, `"${text}" is recorded`, (row) => row.type === "chat" && row.body.text === text);
}
