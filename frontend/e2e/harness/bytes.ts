// How much script a first visit to a page costs.
import { gzipSync } from "node:zlib";

import type { Person } from "./browser";
import { until } from "./checks";

/** kB of script, gzipped, that a browser with an empty cache loads until the page is quiet. */
export async function firstLoad(visitor: Person, path: string, arrived: () => Promise<boolean>): Promise<number> {
  const scripts: Promise<Buffer>[] = [];
  const page = await visitor.context.newPage();
  page.on("response", (response) => {
    if (response.request().resourceType() === "script") scripts.push(response.body());
  });
  await page.goto(visitor.base + path);
  await until(`${path} arrives`, arrived);
  await page.waitForLoadState("networkidle").catch(() => undefined); // an open socket may keep it busy
  const sizes = (await Promise.all(scripts)).map((body) => gzipSync(body).length);
  return sizes.reduce((a, b) => a + b, 0) / 1000;
}
