import { expect, test } from "vitest";

import { hello, sync } from "../test/factories/room";
import { FakeWorld } from "../test/socket";
import { type Connection, RoomConnection } from "./connection";
import type { Frame } from "./wire";

function connect(world: FakeWorld, after = () => 41) {
  const states: Connection[] = [];
  const frames: Frame[] = [];
  const connection: RoomConnection = new RoomConnection(world, {
    after,
    frames: (f) => {
      frames.push(...f);
      if (f.some((one) => one.type === "sync")) connection.caughtUp();
    },
    changed: (c) => states.push(c),
  });
  connection.start();
  return { connection, states, frames, words: () => states.map((s) => s.state) };
}

test("asks for what came after the last sequence, and says how far behind it is until that is in", () => {
  const world = new FakeWorld();
  const { states, frames } = connect(world);
  world.last.accept();
  expect(world.last.sent).toEqual([{ type: "hello", after: 41 }]);
  world.last.say(hello(45), sync(45));
  expect(states).toEqual([{ state: "connecting" }, { state: "catching_up", behind: 4 }, { state: "live" }]);
  expect(frames.map((f) => f.type)).toEqual(["hello", "sync"]);
});

test.each([
  [1001, "reconnecting"],
  [1006, "reconnecting"],
  [4008, "reconnecting"],
  [4009, "reconnecting"],
  [4400, "outdated"],
  [4401, "signed_out"],
  [4403, "not_allowed"],
  [4499, "outdated"],
])("close code %i after hello: %s", (code, word) => {
  const world = new FakeWorld();
  const { connection } = connect(world);
  world.last.greet();
  world.last.shut(code);
  expect(connection.state.state).toBe(word);
  world.pass(60_000);
  expect(world.sockets.length).toBe(word === "reconnecting" ? 2 : 1);
});

test("pauses grow to 15 s, start small again after a hello, and a person can skip one", async () => {
  const world = new FakeWorld();
  const { connection } = connect(world);
  const pauses: number[] = [];
  for (let i = 0; i < 8; i++) {
    world.last.shut(1006);
    await world.settled();
    if (connection.state.state !== "reconnecting") throw new Error(connection.state.state);
    pauses.push(connection.state.at - world.now());
    world.pass(connection.state.at - world.now());
  }
  expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 15000, 15000, 15000]);
  world.last.greet();
  world.last.shut(1001);
  expect(connection.state).toMatchObject({ state: "reconnecting", at: world.now() + 500 });
  const before = world.sockets.length;
  connection.retry();
  expect([world.sockets.length, connection.state.state]).toEqual([before + 1, "reconnecting"]);
  world.last.greet();
  expect(connection.state.state).toBe("live");
});

test.each(["signed_out", "not_allowed"] as const)("a refused upgrade that HTTP explains as %s is not tried again", async (verdict) => {
  const world = new FakeWorld();
  world.answer = verdict;
  const { connection } = connect(world);
  world.last.shut(1006);
  await world.settled();
  world.pass(60_000);
  expect([connection.state.state, world.sockets.length]).toEqual([verdict, 1]);
});

test("a server that never says hello is given up", () => {
  const world = new FakeWorld();
  const { connection } = connect(world);
  world.last.accept();
  world.pass(15_000);
  expect([connection.state.state, world.last.closed]).toEqual(["reconnecting", true]);
});

test("an old socket's late words and end change nothing; stopping ends everything", () => {
  const world = new FakeWorld();
  const { connection, frames } = connect(world);
  const old = world.last;
  old.greet();
  connection.suspect();
  world.pass(500);
  world.last.greet();
  const heard = frames.length;
  old.say(hello(99));
  old.shut(4401);
  expect([frames.length, connection.state.state]).toEqual([heard, "live"]);
  connection.stop();
  world.pass(60_000);
  expect([world.sockets.length, world.last.closed]).toEqual([2, true]);
});
