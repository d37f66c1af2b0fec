// Checks are what this program prints: one line each, and a sum at the end.

import { stripVTControlCharacters } from "node:util";

const started = Date.now();

/** How long a check waits for something to happen unless it says otherwise. */
export const patience = 15_000;

export class Checks {
  private passed = 0;
  private failed = 0;
  /** Called when a check fails, to keep what the screens showed. */
  onFailure: (name: string) => Promise<void> = () => Promise.resolve();

  /** Runs one check and prints its line; true if it held. */
  async check(name: string, body: () => Promise<void>): Promise<boolean> {
    const begun = Date.now();
    try {
      await body();
    } catch (error) {
      this.failed++;
      console.log(`FAIL  ${name}\n      ${messageOf(error).split("\n").join("\n      ")}`);
      await this.onFailure(name).catch(() => undefined);
      return false;
    }
    this.passed++;
    console.log(`ok    ${name} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
    return true;
  }

  /**
   * A walk is a chain of checks: what stands behind a broken one is not reached, and
   * that is a failure too. A check with beside set breaks nothing behind it.
   */
  walk(title: string): (name: string, body: () => Promise<void>, beside?: "beside") => Promise<void> {
    let broken = "";
    return async (name, body, beside) => {
      const full = `${title}: ${name}`;
      if (broken !== "") {
        this.failed++;
        console.log(`FAIL  ${full}\n      not reached, because of: ${broken}`);
        return;
      }
      if (!(await this.check(full, body)) && beside === undefined) broken = name;
    };
  }

  /** Prints the sum; true if everything held. */
  sum(): boolean {
    console.log(`in ${((Date.now() - started) / 1000).toFixed(0)} s`);
    console.log(`${this.passed} passed, ${this.failed} failed`);
    return this.failed === 0 && this.passed > 0;
  }
}

export function ok(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

export function same(got: unknown, want: unknown, what: string): void {
  const [a, b] = [text(got), text(want)];
  if (a !== b) throw new Error(`${what}\n${difference(a, b)}`);
}

const text = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value, null, 1));

/** The lines in which two texts differ. */
export function difference(got: string, want: string): string {
  const [a, b] = [got.split("\n"), want.split("\n")];
  const out: string[] = [];
  for (let i = 0; i < Math.max(a.length, b.length) && out.length < 16; i++) {
    if (a[i] !== b[i]) out.push(`  got  ${a[i] ?? "(nothing)"}`, `  want ${b[i] ?? "(nothing)"}`);
  }
  return out.join("\n");
}

/** Polls until look returns something else than false, null or undefined, and returns it. */
export async function until<T>(what: string, look: () => Promise<T> | T, within = patience): Promise<Exclude<T, false | null | undefined>> {
  const end = Date.now() + within;
  let trouble = "";
  for (;;) {
    try {
      const found = await look();
      if (found !== false && found !== null && found !== undefined) return found as Exclude<T, false | null | undefined>;
    } catch (error) {
      trouble = `; last: ${messageOf(error)}`;
    }
    if (Date.now() > end) throw new Error(`${what}: not within ${within / 1000} s${trouble}`);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Playwright explains itself at length; the head and the locator are enough.
  return stripVTControlCharacters(error.message).split("\n").slice(0, 24).join("\n");
}
