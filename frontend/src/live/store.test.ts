import { afterEach, expect, test } from "vitest";

import { Problem } from "../services/api";
import { chat, delta, entry, hello, id, page, runEnd, status, sync, text, turn } from "../test/factories/room";
import { agent, fakeCalls } from "../test/room";
import { FakeWorld } from "../test/socket";
import { RoomStore } from "./store";

const ends: (() => void)[] = [];
afterEach(() => {
  ends.splice(0).forEach((end) => { end(); });
  sessionStorage.clear();
});

async function open(calls = fakeCalls(page([chat(1, "早")])), world = new FakeWorld()) {
  const store = new RoomStore(agent, calls, world);
  ends.push(store.start());
  await world.settled();
  return { store, world, calls, said: () => store.get().rows.map((r) => (r.type === "chat" ? r.body.text : r.type)) };
}

const offline = () => new Problem(0, { code: "offline", detail: "" });

test("history first, then the socket from there; a reconnect takes the same fold", async () => {
  const { store, world, said } = await open();
  world.last.accept();
  expect(world.last.sent).toEqual([{ type: "hello", after: 0 }]);
  world.last.say(hello(1), sync(1));
  world.last.say(entry(chat(2, "好")));
  world.last.shut(1006);
  await world.settled();
  expect(store.get().connection.state).toBe("reconnecting");
  world.pass(500);
  world.last.accept();
  expect(world.last.sent).toEqual([{ type: "hello", after: 1 }]);
  world.last.say(hello(6), sync(6, [chat(2, "好"), chat(4, "同事说的"), runEnd(6)]));
  expect([said(), store.get().connection.state]).toEqual([["早", "好", "同事说的", "run_finished"], "live"]);
});

test("React's double mount leaves one socket", async () => {
  const world = new FakeWorld();
  const store = new RoomStore(agent, fakeCalls(), world);
  store.start()();
  ends.push(store.start());
  await world.settled();
  await world.settled();
  expect(world.sockets.filter((s) => !s.closed).length).toBe(1);
});

test("an own message shows at once and gives way to its row, whether the row or the answer comes first", async () => {
  for (const rowFirst of [true, false]) {
    let answer: (said: { message: string; seq: number }) => void = () => undefined;
    const calls = fakeCalls(page([]), { say: () => new Promise((resolve) => { answer = resolve; }) });
    const { store, world, said } = await open(calls);
    world.last.greet(0);
    store.send("太慢了", []);
    const out = store.get().outbox[0];
    if (!out) throw new Error("nothing on its way");
    const message = `${out.key.slice(0, 10)}${"X".repeat(16)}`;
    const row = entry(chat(5, "太慢了", { ref: message }));
    if (rowFirst) {
      world.last.say(row);
      expect([store.get().outbox.length, said()]).toEqual([0, ["太慢了"]]);
    }
    answer({ message, seq: 5 });
    await world.settled();
    if (!rowFirst) {
      expect(store.get().outbox.map((o) => o.state)).toEqual(["sent"]);
      world.last.say(row);
    }
    expect([store.get().outbox.length, said()]).toEqual([0, ["太慢了"]]);
  }
});

test("what could not be sent goes out by itself on the next connection, with the same key; what was refused waits for a person", async () => {
  const calls = fakeCalls();
  const { store, world } = await open(calls);
  world.last.greet(0);
  calls.say.mockRejectedValueOnce(offline()).mockRejectedValueOnce(new Problem(403, { code: "forbidden", detail: "" }));
  store.send("断网时写的", []);
  store.send("被拒的", []);
  await world.settled();
  expect(store.get().outbox.map((o) => o.state)).toEqual(["failed", "failed"]);
  world.last.shut(1006);
  await world.settled();
  world.pass(500);
  world.last.greet(0);
  await world.settled();
  expect(store.get().outbox.map((o) => o.state)).toEqual(["sent", "failed"]);
  expect(calls.say.mock.calls[2]?.[0]).toBe(calls.say.mock.calls[0]?.[0]);
});

test("a reload keeps what was on its way and sends it again with its key", async () => {
  const first = fakeCalls(page([]), { say: () => new Promise(() => undefined) });
  const before = await open(first);
  before.store.send("刷新前", []);
  const after = await open();
  after.world.last.greet(1);
  await after.world.settled();
  expect(after.calls.say.mock.calls.map((c) => [c[0], c[1]])).toEqual([[first.say.mock.calls[0]?.[0], "刷新前"]]);
});

test("T5: stop is asked of the turn that is running now; that it came too late is no error", async () => {
  const calls = fakeCalls();
  const { store, world } = await open(calls);
  world.last.accept();
  world.last.say(hello(3, status("answering", { turn: id(2, "T"), attempt: 1 })), sync(3));
  calls.stop.mockRejectedValueOnce(new Problem(409, { code: "conflict", reason: "turn_over", detail: "" }));
  await store.stop();
  expect(calls.stop.mock.calls.map((c) => c[1])).toEqual([id(2, "T")]);
  world.last.say({ type: "chat.status", seq: 4, status: status("idle") });
  await store.stop();
  expect(calls.stop).toHaveBeenCalledTimes(1);
});

test("closing a tab tells the server nothing but that it is gone", async () => {
  const { world, calls, store } = await open();
  world.last.accept();
  world.last.say(hello(3, status("answering", { turn: id(2, "T"), attempt: 1 })), sync(3), delta(id(2, "T"), 1, 0, "写到一半"));
  ends.splice(0).forEach((end) => { end(); });
  expect([world.last.closed, calls.stop.mock.calls.length, store.get().answer?.text]).toEqual([true, 0, "写到一半"]);
});

test("after a reset the newest page is read, however often that takes", async () => {
  const calls = fakeCalls(page([chat(1, "旧")]));
  const { store, world, said } = await open(calls);
  calls.timeline.mockRejectedValueOnce(offline()).mockResolvedValue(page([chat(900, "新")], true));
  world.last.accept();
  world.last.say(hello(900), sync(900, [], { reset: true }));
  await world.settled();
  expect([said(), store.get().connection.state]).toEqual([["旧"], "catching_up"]);
  world.pass(500);
  await world.settled();
  expect([said(), store.get().connection.state]).toEqual([["新"], "live"]);
});

test("older rows come page by page, and one request at a time", async () => {
  const calls = fakeCalls(page([chat(50, "五十")], true));
  const { store, said, world } = await open(calls);
  calls.timeline.mockResolvedValue(page([chat(20, "二十"), chat(30, "三十")], false));
  await Promise.all([store.loadOlder(), store.loadOlder()]);
  await world.settled();
  expect([said(), calls.timeline.mock.calls.map((c) => c[0])]).toEqual([["二十", "三十", "五十"], [0, 50]]);
  await store.loadOlder();
  expect(calls.timeline).toHaveBeenCalledTimes(2);
});

test("who is signed out at the first request is told so, and no socket is opened", async () => {
  const { store, world } = await open(fakeCalls(page([]), { timeline: () => Promise.reject(new Problem(401, { code: "unauthorized", detail: "" })) }));
  expect([store.get().connection.state, world.sockets.length]).toEqual(["signed_out", 0]);
});

test("listeners hear the frames of their type after they were folded in", async () => {
  const { store, world } = await open();
  const heard: [string, number][] = [];
  const off = store.on("timeline.entry", (f) => heard.push([f.row.type, store.get().rows.length]));
  world.last.greet(1);
  const t = turn(5, id(5, "T"), [text("答")]);
  world.last.say(entry(t), entry(chat(6, "x")));
  off();
  world.last.say(entry(turn(7, id(7, "T"), [])));
  expect(heard).toEqual([["turn", 3]]);
});
