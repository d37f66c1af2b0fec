// Two people with two tabs each, in one moment (T4); away for half an hour (T3).
import { mark, Person, seen, gone } from "../harness/browser";
import { ok, same, until } from "../harness/checks";
import { answerAfter, Room } from "../harness/room";
import { makeAgent, makeCard } from "../harness/rooms";
import { Wire } from "../harness/wire";
import { like, words } from "../harness/words";
import { adaPassword, boPassword, type World } from "../harness/world";

export async function order(world: World): Promise<void> {
  const { browser, server } = world;
  const ada = await (await Person.enter(browser, server.url, "ada")).signedIn(adaPassword);
  const bo = await (await Person.enter(browser, server.url, "bo")).signedIn(boPassword);
  world.people.push(ada, bo);
  const agent = await makeAgent(bo.account, "同时说话");
  const path = `/a/${agent}/materials`;

  const t4 = world.checks.walk("T4");
  await t4("four tabs send at once, one clock 5 min off: every view has the server's order, the question above its answer", async () => {
    const rooms: Room[] = [];
    for (const [i, person] of [ada, ada, bo, bo].entries()) {
      const page = await person.context.newPage();
      if (i === 3) await page.clock.install({ time: Date.now() - 5 * 60_000 });
      await page.goto(server.url + path);
      rooms.push(new Room(page, agent));
    }
    for (const [i, room] of rooms.entries()) {
      await room.live();
      await room.box.fill(`同一毫秒 ${i + 1}`);
    }
    await Promise.all(rooms.map((room) => room.box.press("Enter")));
    const rows = await until("all four are recorded and answered", async () => {
      const list = await bo.account.rows(agent);
      const said = list.filter((r) => r.type === "chat");
      const over = said.every((r) => list.some((answer) => answer.type === "turn" && answer.ref === r.body.turn));
      return said.length === 4 && over && list;
    }, 30_000);
    for (const room of rooms) {
      await room.endsLike(rows, rows.length);
      for (let i = 1; i <= 4; i++) same(await room.log.getByText(`同一毫秒 ${i}`, { exact: true }).count(), 1, `bubbles of message ${i}`);
    }
    for (const answer of rows.filter((r) => r.type === "turn")) {
      for (const question of rows.filter((r) => r.type === "chat" && r.body.turn === answer.ref)) {
        ok(question.seq < answer.seq, "an answer stands above its question");
      }
    }
    await Promise.all(rooms.map((room) => room.page.close()));
  });

  const t3 = world.checks.walk("T3");
  await t3("away for 30 min: words, an applied card and a finished run are there in order, badges right, without a reload", async () => {
    const wire = await Wire.to(server.port);
    try {
      await makeCard(bo.account, agent);
      const away = await (await Person.enter(browser, wire.url, "ada")).signedIn(adaPassword);
      world.people.push(away);
      const page = await away.context.newPage();
      await page.clock.install();
      await page.goto(wire.url + path);
      const room = new Room(page, agent);
      await room.live();
      const stays = await mark(page);
      const apply = room.log.getByRole("button", { name: words.card.apply.all, exact: true });
      await seen(apply);
      wire.cut();
      await room.lost();

      const card = (await bo.account.cards(agent)).find((c) => c.state === "pending")?.card ?? "";
      const { seq } = await bo.account.post<{ seq: number }>(`/api/agents/${agent}/messages`, { text: "你不在的时候我说了这句" });
      await answerAfter(bo.account, agent, seq);
      const { run } = await bo.account.post<{ run: string }>(`/api/agents/${agent}/cards/${card}/apply`);
      const closing = await bo.account.row(agent, "the worker's closing row", (row) => row.type === "run_finished" && row.ref === run, 45_000);
      await page.clock.fastForward("30:00");
      await wire.mend();
      await until("the room is live again", async () => {
        await page.clock.fastForward(2_000); // whatever pause the page has chosen
        return (await room.connection()) === "live";
      }, 30_000);
      await room.shows(closing);
      await room.endsLike(await bo.account.rows(agent), 5);
      await gone(apply);
      await seen(room.log.getByText(like(words.card.outcome.applied)));
      ok(await stays(), "the page was loaded anew");
      await page.close();
      await away.leave();
    } finally {
      wire.cut();
    }
  });
  await ada.leave();
  await bo.leave();
}
