// What the walks share: the server, the browser, and two people in it.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { Browser } from "playwright-core";

import { launch, type Person } from "./browser";
import { Checks } from "./checks";
import { Server } from "./server";

export const product = "games";
export const adaPassword = "correct horse battery";
export const boPassword = "staple gun monday";

const binary = process.env.SOZAI_BIN ?? fileURLToPath(new URL("../../../bin/sozai", import.meta.url));

export class World {
  readonly checks = new Checks();
  /** Everybody who ever came, for what is asked of all of them at the end. */
  readonly people: Person[] = [];

  private constructor(
    readonly folder: string,
    readonly server: Server,
    readonly browser: Browser,
  ) {
    this.checks.onFailure = (name) => this.photograph(name);
  }

  static async make(...args: string[]): Promise<World> {
    const folder = await mkdtemp(join(tmpdir(), "sozai-e2e-"));
    await mkdir(join(folder, "failures"));
    const server = await Server.make(binary, join(folder, "data"), ...args);
    return new World(folder, server, await launch());
  }

  /** Keeps what everybody's screen shows. */
  private async photograph(name: string): Promise<void> {
    const open = this.people.flatMap((p) => p.pages.filter((page) => !page.isClosed()).map((page) => ({ who: p.name, page })));
    for (const [i, { who, page }] of open.entries()) {
      const path = join(this.folder, "failures", `${name.replace(/[^\p{L}\p{N}]+/gu, "-")}-${who}-${i}.png`);
      await page.screenshot({ path, timeout: 5_000 });
      console.log(`      ${path}`);
    }
  }

  /** Puts everything away; the folder stays if a check failed. */
  async end(keep: boolean): Promise<void> {
    await this.browser.close();
    await this.server.kill();
    // The database of a server that was killed takes a moment to notice.
    if (!keep) await rm(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  }
}
