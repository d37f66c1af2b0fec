// Photographs every page of a workshop that has been at work for a while: Chinese
// in daylight, English in the dark, and on a phone. They go to docs/screens.
import { execFile } from "node:child_process";
import { copyFile, mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { Account } from "./harness/account";
import { dressed, type Look, phone } from "./harness/browser";
import { until } from "./harness/checks";
import { makeBoard, makeFilm } from "./harness/making";
import { makeCard } from "./harness/rooms";
import { fits, pagesOf } from "./harness/sights";
import { World } from "./harness/world";

const run = promisify(execFile);
const shelf = fileURLToPath(new URL("../../docs/screens/", import.meta.url));
const heaviest = 200_000; // bytes of one picture

const window = { width: 1280, height: 800 };
const looks: { name: string; look: Look }[] = [
  { name: "zh-light", look: { language: "zh-CN", theme: "light", viewport: window } },
  { name: "en-dark", look: { language: "en", theme: "dark", viewport: window } },
  { name: "phone", look: { language: "zh-CN", theme: "light", viewport: phone, touch: true } },
];

const world = await World.make(); // with the demo product
try {
  await world.server.start();
  const { account, agent } = await history();
  await mkdir(shelf, { recursive: true });
  for (const { name, look } of looks) {
    const context = await world.browser.newContext(dressed(look));
    const guest = await world.browser.newContext(dressed(look));
    await context.addCookies(account.session());
    // She is an administrator: what only one sees is in the picture anyway.
    for (const sight of (await pagesOf(account, agent)).filter((s) => fits(s, look) && !s.admin)) {
      const page = await (sight.guest ? guest : context).newPage();
      await page.goto(world.server.url + sight.path);
      await sight.arrived(page, look);
      const file = `${sight.name.replaceAll(" ", "-")}-${name}.png`;
      console.log(file, `${((await keep(await page.screenshot({ animations: "disabled" }), file)) / 1000).toFixed(0)} kB`);
      await page.close();
    }
    await context.close();
    await guest.close();
  }
} finally {
  await world.end(false);
}
process.exit(0);

/** Two people have looked, reacted, talked and decided. */
async function history(): Promise<{ account: Account; agent: string }> {
  const { server } = world;
  const lin = new Account(server.url);
  await until("a link is printed", () => server.link !== "");
  await lin.post(`/api/links/${server.link.split("/").at(-1) ?? ""}`, { name: "林夏", password: "correct horse battery" });
  const { path } = await lin.post<{ path: string }>("/api/invites", { products: ["demo"] });
  const ben = new Account(server.url);
  await ben.post(`/api/links/${path.split("/").at(-1) ?? ""}`, { name: "Ben", password: "staple gun monday" });
  const me = await ben.get<{ user: { id: string } }>("/api/session");
  const agent = await until("the demo agent is there", async () => (await lin.get<{ agents: { agent: string }[] }>("/api/agents?product=demo")).agents[0]?.agent, 60_000);
  await lin.put(`/api/agents/${agent}/members/${me.user.id}`, { role: "member" });
  await until("its first search is over", async () => (await lin.runs(agent)).some((r) => r.trigger === "first" && r.state === "done"), 60_000);
  const [first, second, third] = await lin.materials(agent);
  const object = (m: { material: string } | undefined) => ({ type: "material", id: m?.material });
  await lin.post(`/api/agents/${agent}/feedback`, { object: object(first), verdict: "dislike", words: "爆炸感不够，节奏太慢" });
  await ben.post(`/api/agents/${agent}/feedback`, { object: object(second), verdict: "like" });
  await makeCard(lin, agent, "爆炸感不够，节奏太慢，帮我改一下基因");
  const card = (await lin.cards(agent)).find((c) => c.state === "pending");
  await ben.post(`/api/agents/${agent}/cards/${card?.card ?? ""}/apply`);
  await until("the gene check is over", async () => (await lin.runs(agent)).every((r) => r.state === "done"), 60_000);
  await ben.post(`/api/agents/${agent}/messages`, { text: "V2 和 V1 比效果怎么样？", refs: [object(third)] });
  await until("that is answered", async () => (await lin.rows(agent)).filter((r) => r.type === "chat").every((r) => r.body.turn), 30_000);
  const board = await makeBoard(lin, agent, { what: "开头就炸，结尾留修复镜头", materials: (await lin.materials(agent)).slice(0, 5).map((m) => m.material) });
  await ben.post(`/api/agents/${agent}/feedback`, { object: { type: "board", id: board.board, panel: 5 }, verdict: "like", words: "保留第 5 格" });
  const film = await makeFilm(lin, agent, board.board);
  await ben.post(`/api/agents/${agent}/feedback`, { object: { type: "film", id: film.film, from: 2, to: 4.5 }, words: "这里太暗，看不清冲击" });
  await makeCard(lin, agent, "开头太慢，字幕看不清，帮我改一下基因");
  await until("the butler is done", async () => (await lin.rows(agent)).filter((r) => r.type === "chat").every((r) => r.body.turn), 30_000);
  return { account: lin, agent };
}

/** Few colours make a small file; as many as fit are kept. */
async function keep(png: Buffer, name: string): Promise<number> {
  const [raw, small] = [join(world.folder, "raw.png"), join(world.folder, "small.png")];
  await writeFile(raw, png);
  for (const colours of [256, 160, 96, 64, 32]) {
    const palette = `split[a][b];[a]palettegen=max_colors=${colours}:reserve_transparent=0[p];[b][p]paletteuse=dither=none`;
    await run("ffmpeg", ["-nostdin", "-v", "error", "-y", "-i", raw, "-vf", palette, small]);
    if ((await stat(small)).size <= heaviest) break;
  }
  const { size } = await stat(small);
  if (size > heaviest) throw new Error(`${name} is ${size} bytes`);
  await copyFile(small, join(shelf, name));
  return size;
}
