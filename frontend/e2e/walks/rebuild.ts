// Every read model is rebuilt while people work: they notice nothing, and whoever
// looks after the system sees how far it is.
import { Person, reloadChangesNothing, seen } from "../harness/browser";
import { ok, until } from "../harness/checks";
import { answerAfter, Room, wordsOf } from "../harness/room";
import type { Command } from "../harness/server";
import { like, words } from "../harness/words";
import { adaPassword, boPassword, type World } from "../harness/world";

const w = words.system;
type System = { projections: { name: string; generation: number }[]; builds: { projection: string; state: string; seq: number; target: number }[] };

export async function rebuild(world: World, agent: string): Promise<void> {
  const { browser, server } = world;
  const ada = await (await Person.enter(browser, server.url, "ada")).signedIn(adaPassword);
  const bo = await (await Person.enter(browser, server.url, "bo")).signedIn(boPassword);
  world.people.push(ada, bo);
  const step = world.checks.walk("rebuild");
  const system = () => ada.account.get<System>("/api/system");
  const before = await system();
  const page = await ada.open("/system");
  const room = new Room(await bo.open(`/a/${agent}/materials`), agent);
  await room.live();
  const held: Command[] = [];

  await step("a rebuild from the command line shows on the system page while it goes on", async () => {
    await seen(page.getByRole("button", { name: w.rebuild.all }));
    // So short a log is read in no time. It goes on in small steps until it stands in
    // the middle, and holds still there for as long as it takes to look at it.
    await until("a build stands in the middle", async () => {
      const running = held.at(-1);
      if (running === undefined || !running.running) {
        await running?.done();
        held.push(server.command("rebuild"));
        return false;
      }
      running.pause();
      const { builds } = await system();
      const midway = builds.length > 0 && builds.every((b) => b.state === "running" && b.seq < b.target);
      if (!midway) running.resume();
      return midway;
    }, 40_000);
    await seen(page.getByRole("progressbar").first(), 20_000);
    await seen(page.getByRole("button", { name: like(w.rebuild.cancel_of) }).first());
  });
  await step("meanwhile people are answered, and their pages come back as they were", async () => {
    const text = "重建的时候也要能说话";
    await room.say(text);
    const asked = await wordsOf(bo.account, agent, text);
    await room.holds(await answerAfter(bo.account, agent, asked.seq));
    await reloadChangesNothing(room.page);
  });
  await step("it ends by itself: every read model is of a newer generation, and the page says so", async () => {
    for (const command of held) {
      command.resume();
      await command.done();
    }
    const after = await system();
    for (const p of before.projections) {
      const now = after.projections.find((one) => one.name === p.name);
      ok(now !== undefined && now.generation > p.generation, `${p.name} is still of generation ${p.generation}`);
    }
    await until("no progress is shown any more", async () => (await page.getByRole("progressbar").count()) === 0, 20_000);
    await seen(page.getByRole("button", { name: w.rebuild.one_of.replace("{{name}}", w.name.timeline) }));
  });
  await step("the button does the same", async () => {
    const generation = async () => (await system()).projections.find((p) => p.name === "timeline")?.generation ?? 0;
    const old = await generation();
    await page.getByRole("button", { name: w.rebuild.one_of.replace("{{name}}", w.name.timeline) }).click();
    await until("the new generation serves", async () => (await generation()) > old, 30_000);
    await reloadChangesNothing(room.page);
  });
  for (const command of held) command.kill();
  await ada.leave();
  await bo.leave();
}

const between = 10_000; // milliseconds from one to the next

/** Rebuilds everything again and again beside other walks. */
export class RebuildsBeside {
  private going = false;
  private loop: Promise<void> = Promise.resolve();
  private times = 0;
  private trouble = "";

  constructor(
    private readonly world: World,
    private readonly wanted: boolean,
  ) {}

  begin(): void {
    if (!this.wanted) return;
    this.going = true;
    this.loop = this.again();
  }

  async end(): Promise<void> {
    this.going = false;
    await this.loop;
  }

  private async again(): Promise<void> {
    const goesOn = () => this.going;
    while (goesOn() && this.trouble === "") {
      try {
        await this.world.server.command("rebuild").done();
        this.times++;
      } catch (error) {
        this.trouble = String(error);
      }
      for (let waited = 0; goesOn() && waited < between; waited += 100) await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Nobody's request failed meanwhile. */
  async check(): Promise<void> {
    if (!this.wanted) return;
    await this.world.checks.check("all read models were rebuilt again and again, and not one request failed", async () => {
      ok(this.trouble === "", this.trouble);
      ok(this.times > 1, `only ${this.times} rebuilds`);
      // Through a wire that a walk cuts requests must fail; those go to another port.
      const failed = this.world.people.flatMap((p) => p.failed.filter((line) => line.includes(this.world.server.url)).map((line) => `${p.name} ${line}`));
      ok(failed.length === 0, failed.slice(0, 10).join("\n"));
      console.log(`      ${this.times} rebuilds`);
      return Promise.resolve();
    });
  }
}
