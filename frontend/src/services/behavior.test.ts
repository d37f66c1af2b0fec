import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { batchSize, makeReporter, sendEvery } from "./behavior";

type Beacon = { beacon: string; observations: { id: string; type: string; object: { type: string; id: string }; at: string }[] };

const ref = (id: string) => ({ type: "material", id });

/** Keeps what is sent; accept decides whether the browser takes it. */
function mailbox() {
  const sent: { url: string; body: Blob }[] = [];
  const box = {
    accept: true,
    sent,
    send: (url: string, body: Blob) => {
      if (box.accept) sent.push({ url, body });
      return box.accept;
    },
    read: () => Promise.all(sent.map(async ({ body }) => JSON.parse(await text(body)) as Beacon)),
  };
  return box;
}

const text = (blob: Blob) =>
  new Promise<string>((resolve) => {
    const reader = new FileReader();
    reader.onload = () => { resolve(typeof reader.result === "string" ? reader.result : ""); };
    reader.readAsText(blob);
  });

beforeEach(() => {
  sessionStorage.clear();
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
});
afterEach(() => { vi.useRealTimers(); });

test("an object is told once a session for each type, also after a reload", async () => {
  const box = mailbox();
  const reporter = makeReporter("a1", { send: box.send });
  expect(reporter.note("material_viewed", ref("m1"))).toBe(true);
  expect(reporter.note("material_viewed", ref("m1"))).toBe(false);
  expect(reporter.note("material_ignored", ref("m1"))).toBe(true);
  reporter.flush();
  expect(reporter.note("material_viewed", ref("m1"))).toBe(false);
  expect(makeReporter("a1", { send: box.send }).note("material_viewed", ref("m1"))).toBe(false);
  expect(makeReporter("a2", { send: box.send }).note("material_viewed", ref("m1"))).toBe(true);
  const [beacon] = await box.read();
  expect(beacon?.observations.map((o) => [o.type, o.object])).toEqual([["material_viewed", ref("m1")], ["material_ignored", ref("m1")]]);
  expect(box.sent[0]?.url).toBe("/api/agents/a1/behavior");
  expect(box.sent[0]?.body.type).toBe("text/plain");
});

test("a beacon carries at most what the server takes, and each has its own ULID", async () => {
  const box = mailbox();
  const reporter = makeReporter("a1", { send: box.send });
  for (let i = 0; i < batchSize * 2 + 1; i++) reporter.note("material_viewed", ref(`m${i}`));
  reporter.flush();
  const beacons = await box.read();
  expect(beacons.map((b) => b.observations.length)).toEqual([batchSize, batchSize, 1]);
  expect(new Set(beacons.map((b) => b.beacon)).size).toBe(3);
  expect(beacons.every((b) => /^[0-9A-HJKMNP-TV-Z]{26}$/.test(b.beacon))).toBe(true);
});

test("what the browser does not take waits, and is told later", async () => {
  const box = mailbox();
  const reporter = makeReporter("a1", { send: box.send });
  box.accept = false;
  reporter.note("material_viewed", ref("m1"));
  reporter.flush();
  box.accept = true;
  reporter.flush();
  reporter.flush();
  expect((await box.read()).map((b) => b.observations.length)).toEqual([1]);
});

test("it sends every few seconds, when the page hides, when it goes and when it ends", () => {
  const box = mailbox();
  const reporter = makeReporter("a1", { send: box.send });
  const stop = reporter.start();
  reporter.note("material_viewed", ref("m1"));
  vi.advanceTimersByTime(sendEvery);
  expect(box.sent).toHaveLength(1);
  reporter.note("material_viewed", ref("m2"));
  window.dispatchEvent(new Event("pagehide"));
  expect(box.sent).toHaveLength(2);
  reporter.note("material_viewed", ref("m3"));
  vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
  document.dispatchEvent(new Event("visibilitychange"));
  expect(box.sent).toHaveLength(3);
  reporter.note("material_viewed", ref("m4"));
  stop();
  expect(box.sent).toHaveLength(4);
  window.dispatchEvent(new Event("pagehide"));
  vi.advanceTimersByTime(sendEvery * 3);
  expect(box.sent).toHaveLength(4);
});

test("what is held can be taken back; a page that goes sends it all the same", () => {
  const box = mailbox();
  const sent: string[] = [];
  const reporter = makeReporter("a1", { send: box.send, sent: (type, id) => sent.push(`${type} ${id}`) });
  reporter.note("material_ignored", ref("m1"), 6_000);
  reporter.flush(false);
  expect(sent).toEqual([]);
  expect(reporter.takeBack("material_ignored", "m1")).toBe(true);
  reporter.note("material_ignored", ref("m1"), 6_000);
  vi.advanceTimersByTime(6_000);
  reporter.flush(false);
  expect(sent).toEqual(["material_ignored m1"]);
  expect(reporter.takeBack("material_ignored", "m1")).toBe(false);
  reporter.note("material_ignored", ref("m2"), 6_000);
  reporter.flush();
  expect(sent).toHaveLength(2);
});

test("a session store that holds rubbish is no reason to fail", () => {
  sessionStorage.setItem("sozai.observed.a1", "{");
  expect(makeReporter("a1", { send: mailbox().send }).note("material_viewed", ref("m1"))).toBe(true);
});
