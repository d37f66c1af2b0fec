// End to end: the built program, a real browser, two people. Prints a line a
// check, then "N passed, N failed". Names of walks as arguments run only those.
import { ok } from "./harness/checks";
import { importClips } from "./harness/clips";
import { makeAgent } from "./harness/rooms";
import { product, World } from "./harness/world";
import { answers } from "./walks/answers";
import { decisions } from "./walks/decisions";
import { enter } from "./walks/enter";
import { fillRoom, long } from "./walks/long";
import { making } from "./walks/making";
import { order } from "./walks/order";
import { pages } from "./walks/pages";
import { past } from "./walks/past";
import { phones } from "./walks/phone";
import { reading } from "./walks/reading";
import { RebuildsBeside, rebuild } from "./walks/rebuild";
import { sources } from "./walks/sources";
import { wheel } from "./walks/wheel";

const only = process.argv.slice(2);
const wanted = (walk: string) => only.length === 0 || only.includes(walk);

const world = await World.make("--no-demo");
const { checks } = world;
let held = false;
try {
  await world.server.start();
  const { ada, bo } = await enter(world);
  await importClips(world.folder, ada.account, product);
  const filled = wanted("long") ? fillRoom(bo.account) : Promise.resolve("");
  filled.catch(() => undefined); // the walk that waits for it tells
  const beside = new RebuildsBeside(world, wanted("rebuild"));
  beside.begin();
  const agent = wanted("wheel") ? await wheel(world, ada, bo) : await makeAgent(bo.account, "末日塔防");
  for (const person of [ada, bo]) await person.leave();
  await beside.end();
  if (wanted("long")) await long(world, filled);
  if (wanted("rebuild")) await rebuild(world, agent);
  beside.begin();
  const rooms = async () => {
    if (wanted("decisions")) await decisions(world);
    if (wanted("order")) await order(world);
    if (wanted("reading")) await reading(world);
    if (wanted("past")) await past(world);
    if (wanted("making")) await making(world);
    if (wanted("sources")) await sources(world);
  };
  const looks = async () => {
    if (wanted("pages")) await pages(world, agent);
  };
  await Promise.all([rooms(), looks()]);
  await beside.end();
  await beside.check();
  // These end the server and start it again, so nothing else can walk meanwhile.
  if (wanted("answers")) await answers(world);
  if (wanted("phone")) await phones(world);
  await checks.check("no script broke on anybody's page", async () => {
    const broken = world.people.flatMap((p) => p.broken.map((line) => `${p.name} ${line}`));
    ok(broken.length === 0, broken.slice(0, 10).join("\n"));
    return Promise.resolve();
  });
} catch (error) {
  await checks.check("the walks end by themselves", () => { throw error; });
} finally {
  held = checks.sum();
  if (!held) console.log(`what the screens showed is in ${world.folder}/failures`);
  await world.end(!held);
}
process.exit(held ? 0 : 1);
