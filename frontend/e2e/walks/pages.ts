// What is asked of every page: axe in both themes and at phone width, and the
// weight of a first visit.
import { audit } from "../harness/axe";
import { dressed, Person, desktop, phone, type Look } from "../harness/browser";
import { firstLoad } from "../harness/bytes";
import { ok } from "../harness/checks";
import { makeBoard, makeFilm } from "../harness/making";
import type { World } from "../harness/world";
import { adaPassword, boPassword } from "../harness/world";
import { fits, pagesOf } from "../harness/sights";

const heaviest = 250; // kB of script, gzipped

const looks: { name: string; look: Look }[] = [
  { name: "light", look: { language: "zh-CN", theme: "light", viewport: desktop } },
  { name: "dark", look: { language: "en", theme: "dark", viewport: desktop } },
  { name: "phone", look: { language: "zh-CN", theme: "light", viewport: phone, touch: true } },
];

export async function pages(world: World, agent: string): Promise<void> {
  const { browser, server } = world;
  const account = (await (await Person.enter(browser, server.url, "bo")).signedIn(boPassword)).account;
  if ((await account.films(agent)).length === 0) {
    const materials = (await account.materials(agent)).map((m) => m.material);
    await makeFilm(account, agent, (await makeBoard(account, agent, { materials })).board);
  }
  const sights = await pagesOf(account, agent);

  for (const { name, look } of looks) {
    const visitor = await (await Person.enter(browser, server.url, "bo", look)).signedIn(boPassword);
    const admin = await (await Person.enter(browser, server.url, "ada", look)).signedIn(adaPassword);
    world.people.push(visitor, admin);
    const guest = await browser.newContext(dressed(look));
    for (const sight of sights.filter((s) => fits(s, look))) {
      await world.checks.check(`axe finds nothing: ${sight.name}, ${name}`, async () => {
        const page = await (sight.guest ? guest : sight.admin ? admin.context : visitor.context).newPage();
        await page.goto(server.url + sight.path);
        await sight.arrived(page, look);
        const findings = await audit(page);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        ok(findings.length === 0, findings.join("\n"));
        ok(wide <= 0, `the page is ${wide} px wider than the window`);
        await page.close();
      });
    }
    await guest.close();
    await visitor.leave();
    await admin.leave();
  }

  for (const sight of sights.filter((s) => !s.dialog && !s.admin && s.name !== "room")) {
    await world.checks.check(`first visit loads at most ${heaviest} kB of script: ${sight.name}`, async () => {
      const look: Look = { language: "zh-CN", theme: "light", viewport: desktop };
      const visitor = await Person.enter(browser, server.url, "bo", look);
      if (!sight.guest) await visitor.signedIn(boPassword);
      const size = await firstLoad(visitor, sight.path, async () => {
        const page = visitor.pages.at(-1);
        if (!page) return false;
        await sight.arrived(page, look);
        return true;
      });
      console.log(`      ${size.toFixed(0)} kB`);
      ok(size <= heaviest, `${size.toFixed(0)} kB`);
      await visitor.leave();
    });
  }
}
