// Short clips with known cuts, drawn by ffmpeg, and their way into the catalogue.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import type { Account } from "./account";

const run = promisify(execFile);

const subjects: { title: string; tags: string[]; colours: string[] }[] = [
  { title: "末日塔防：最后一座炮塔守住了吗，一百个人里只有一个过得了这一关 / The last tower: one player in a hundred holds it", tags: ["末日塔防", "tower"], colours: ["0x1b1030", "0xff7a3c", "0x3f8f4a"] },
  { title: "丧尸围城倒计时十秒 / Zombie siege", tags: ["丧尸围城", "zombie"], colours: ["0x0d1f14", "0xd8ff5a"] },
  { title: "连锁爆炸清屏 / Chain explosion", tags: ["爆炸", "explosion"], colours: ["0xff4d6d", "0x101010", "0xffd34d"] },
  { title: "炮塔升级到 99 级 / Tower upgrade", tags: ["炮塔升级", "塔防"], colours: ["0x0b1838", "0x4fb4ff"] },
  { title: "最后一秒翻盘 / Last-second comeback", tags: ["翻盘", "塔防"], colours: ["0x5b2a86", "0xff8fb8", "0xfff3a0"] },
  { title: "末日列车塔防 / Apocalypse train", tags: ["末日", "塔防"], colours: ["0x4a1f0a", "0xffb870"] },
  { title: "三分钟番茄炒蛋 / Tomato and eggs", tags: ["美食"], colours: ["0x123d2a", "0x8fd694"] },
];

/** What an agent that should find them asks for. */
export const profile = {
  name: "末日塔防",
  brief: "一款末日题材的塔防手游，为短视频平台找爆款素材。",
  search: "题材：末日塔防、丧尸围城\n画面：连锁爆炸、清屏\n反转：最后一秒翻盘",
};

/** Draws the clips into a folder and imports them into a product's catalogue. */
export async function importClips(folder: string, account: Account, product: string): Promise<number> {
  await Promise.all(
    subjects.map(async ({ title, tags, colours }, i) => {
      const file = join(folder, `clip-${i}.mp4`);
      await draw(file, colours, 220 + 110 * i);
      const form = new FormData();
      form.set("entry", JSON.stringify({
        id: `e2e-${i}`, title, author: `作者 ${i + 1}`, platform: i % 2 ? "douyin" : "tiktok", tags,
        counts: { plays: 4_000 << i, likes: 300 << i, shares: 20 << i, comments: 10 << i },
      }));
      form.set("file", new Blob([await readFile(file)], { type: "video/mp4" }), `clip-${i}.mp4`);
      await account.send(`/api/catalogue/items?product=${product}`, form);
    }),
  );
  return subjects.length;
}

/** One second and a bit a colour, with a hard cut between two, and a tone. */
async function draw(file: string, colours: string[], tone: number): Promise<void> {
  const seconds = 1.2;
  const shots = colours.map((c, i) => `color=c=${c}:s=270x480:r=25:d=${seconds},drawgrid=w=${30 + 20 * i}:h=60:c=white@0.3[s${i}]`);
  const graph = `${shots.join(";")};${colours.map((_, i) => `[s${i}]`).join("")}concat=n=${colours.length}[v];sine=f=${tone}:d=${seconds * colours.length}[a]`;
  await run("ffmpeg", [
    "-nostdin", "-v", "error", "-y", "-filter_complex", graph, "-map", "[v]", "-map", "[a]",
    "-c:v", "libx264", "-preset", "ultrafast", "-threads", "1", "-pix_fmt", "yuv420p", "-c:a", "aac", "-movflags", "+faststart", file,
  ]);
}
