// The answer while it is written: resumed twice (T1), stopped from elsewhere (T5),
// the server killed in its middle.
import { mark, seen } from "../harness/browser";
import { answerText } from "../harness/account";
import { ok, same, until } from "../harness/checks";
import { answerAfter, bare, Room, wordsOf } from "../harness/room";
import { longSearch, makeAgent, recital } from "../harness/rooms";
import { words } from "../harness/words";
import { adaPassword, boPassword, type World } from "../harness/world";
import { Person } from "../harness/browser";

export async function answers(world: World): Promise<void> {
  const { browser, server } = world;
  const ada = await (await Person.enter(browser, server.url, "ada")).signedIn(adaPassword);
  const bo = await (await Person.enter(browser, server.url, "bo")).signedIn(boPassword);
  world.people.push(ada, bo);
  const agent = await makeAgent(bo.account, "朗读", longSearch(30));
  const path = `/a/${agent}/materials`;
  const room = async (person: Person) => new Room(await person.open(path), agent);
  const first = await room(bo);
  const hers = await room(ada);
  for (const r of [first, hers]) await r.live();

  const t1 = world.checks.walk("T1");
  await t1("two tabs and a reload resume one half-written answer: one bubble, the recorded text", async () => {
    await first.say(recital);
    const asked = await wordsOf(bo.account, agent, recital);
    await first.streams();
    const [second, third] = await Promise.all([room(bo), room(bo), first.page.reload()]);
    await Promise.all([second.streams(), third.streams(), first.streams()]);
    const turn = await answerAfter(bo.account, agent, asked.seq);
    ok(answerText(turn).length > 400, `the answer is too short to prove anything: ${answerText(turn)}`);
    for (const r of [first, second, third, hers]) await r.holds(turn);
    await Promise.all([second.page.close(), third.page.close()]);
  });
  await t1("stop still works in a tab that came in the middle", async () => {
    await first.say(`${recital}。`);
    const asked = await wordsOf(bo.account, agent, `${recital}。`);
    await first.streams();
    const second = await room(bo);
    await second.streams();
    await second.stop.click();
    const turn = await answerAfter(bo.account, agent, asked.seq);
    same(turn.body.reason, "stopped", "how the answer ended");
    for (const r of [first, second, hers]) await r.holds(turn);
    await second.page.close();
  });

  const t5 = world.checks.walk("T5");
  let stopPath = "";
  await t5("a stop from tab B ends the answer that tab A asked for; what was written is kept and marked", async () => {
    const b = await room(bo);
    await b.live();
    b.page.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/stop")) stopPath = new URL(request.url()).pathname;
    });
    const text = `${recital}！`;
    await first.say(text);
    const asked = await wordsOf(bo.account, agent, text);
    await b.streams(30);
    await b.stop.click();
    const turn = await answerAfter(bo.account, agent, asked.seq);
    same(turn.body.reason, "stopped", "how the answer ended");
    ok(bare(answerText(turn)).length >= 12 && !answerText(turn).includes("第30条"), `not a part: ${answerText(turn)}`);
    for (const r of [first, b, hers]) {
      await r.holds(turn);
      await seen(r.row(turn).getByText(words.room.end.stopped));
    }
    await b.page.close();
  });
  await t5("a late copy of that stop does nothing to the next answer", async () => {
    const text = `${recital}，再来一次`;
    await first.say(text);
    const asked = await wordsOf(bo.account, agent, text);
    await first.streams(30);
    const status = await bo.account.status("POST", stopPath);
    ok(status === 409, `the late stop was answered with ${status}`);
    const turn = await answerAfter(bo.account, agent, asked.seq, 30_000);
    same(turn.body.reason, "finished", "how the next answer ended");
    await first.holds(turn);
  });
  await t5("closing the tab that asked cancels nothing", async () => {
    const text = `${recital}，最后一次`;
    const c = await room(bo);
    await c.live();
    await c.say(text);
    const asked = await wordsOf(bo.account, agent, text);
    await c.streams();
    await c.page.close();
    const turn = await answerAfter(bo.account, agent, asked.seq, 30_000);
    same(turn.body.reason, "finished", "how the answer ended");
    await hers.holds(turn);
  });

  const kill = world.checks.walk("killed in mid-answer");
  await kill("both pages say so, and recover by themselves when the server is back", async () => {
    const text = `${recital}，慢慢念`;
    const [mine, her] = [await mark(first.page), await mark(hers.page)];
    await first.say(text);
    const asked = await wordsOf(bo.account, agent, text);
    await Promise.all([first.streams(), hers.streams()]);
    await server.kill();
    await Promise.all([first.lost(), hers.lost()]);
    await server.start();
    await Promise.all([first.live(30_000), hers.live(30_000)]);
    const turn = await answerAfter(bo.account, agent, asked.seq, 45_000);
    same(turn.body.reason, "finished", "how the answer ended");
    for (const r of [first, hers]) {
      await r.holds(turn);
      same(await r.log.getByText(text, { exact: true }).count(), 1, "the question stands in the room");
    }
    ok((await mine()) && (await her()), "a page was loaded anew");
    const { attempts } = await bo.account.get<{ attempts: unknown[] }>(`/api/agents/${agent}/turns/${turn.ref ?? ""}`);
    ok(attempts.length > 1, "the kill did not hit the answer; the check proves nothing");
  });
  await kill("what is sent while the server is away arrives once when it is back", async () => {
    await server.kill();
    await first.lost();
    await first.box.fill("断线时写的话");
    await first.box.press("Enter");
    await server.start();
    await first.live(30_000);
    const retry = first.page.getByRole("button", { name: words.room.again });
    // Kept and sent by the page itself, or offered to be sent again.
    await until("the message is recorded", async () => {
      if (await retry.isVisible()) await retry.click();
      return (await bo.account.rows(agent)).some((row) => row.body.text === "断线时写的话");
    }, 30_000);
    const recorded = await wordsOf(bo.account, agent, "断线时写的话");
    for (const r of [first, hers]) await r.shows(recorded);
    same((await bo.account.rows(agent)).filter((row) => row.body.text === "断线时写的话").length, 1, "rows of one message");
    same(await first.log.getByText("断线时写的话", { exact: true }).count(), 1, "bubbles of one message");
  });
  await ada.leave();
  await bo.leave();
}
