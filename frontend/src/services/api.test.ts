import { expect, test, vi } from "vitest";

import { empty, json, problem, serve } from "../test/server";
import { api, Problem, ulid } from "./api";

const failure = async (promise: Promise<unknown>): Promise<Problem> => {
  const error: unknown = await promise.catch((e: unknown) => e);
  if (!(error instanceof Problem)) throw new Error(`got ${String(error)}, want a Problem`);
  return error;
};

test("sends JSON and the key of a command, and returns the body", async () => {
  const asked = serve({ "POST /api/x": json({ seq: 7 }) });
  expect(await api("/api/x", { method: "POST", body: { a: 1 }, command: "01JDZ0000000000000000000A1" })).toEqual({ seq: 7 });
  expect(await asked[0]?.json()).toEqual({ a: 1 });
  expect(asked[0]?.headers.get("Idempotency-Key")).toBe("01JDZ0000000000000000000A1");
});

test("an answer without a body is undefined", async () => {
  serve({ "DELETE /api/session": empty() });
  expect(await api("/api/session", { method: "DELETE" })).toBeUndefined();
});

test("a problem document keeps its code, reason, details and waiting time", async () => {
  serve({
    "GET /api/x": problem(429, { code: "too_many", reason: "too_many_sign_ins", detail: "wait", details: { n: 5 } }, { "Retry-After": "30" }),
  });
  const p = await failure(api("/api/x"));
  expect([p.status, p.code, p.reason, p.retryAfter, p.details]).toEqual([429, "too_many", "too_many_sign_ins", 30, { n: 5 }]);
});

test("a page of something in between is an unexpected answer, not a crash", async () => {
  for (const response of [
    new Response("<h1>Bad gateway</h1>", { status: 502, headers: { "Content-Type": "text/html" } }),
    new Response("<h1>Welcome</h1>", { status: 200, headers: { "Content-Type": "text/html" } }),
    new Response("not json", { status: 500, headers: { "Content-Type": "application/problem+json" } }),
    json({ some: "thing else" }, 500),
  ]) {
    serve({ "GET /api/x": response });
    expect((await failure(api("/api/x"))).code).toBe("unexpected");
  }
});

test("no answer at all is offline; an aborted request is not a problem", async () => {
  vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("network"));
  expect((await failure(api("/api/x"))).code).toBe("offline");
  await expect(api("/api/x", { signal: AbortSignal.abort() })).rejects.not.toBeInstanceOf(Problem);
});

test("a command that is turned away for a moment is sent once more with its key", async () => {
  vi.useFakeTimers();
  try {
    const busy = () => problem(503, { code: "unavailable", reason: "log_busy", detail: "busy" }, { "Retry-After": "2" });
    let answers = [busy, () => json({ seq: 8 })];
    const asked = serve({ "POST /api/x": () => (answers.shift() ?? busy)() });
    const done = api("/api/x", { method: "POST", body: { a: 1 }, command: "01JDZ0000000000000000000A1" });
    await vi.advanceTimersByTimeAsync(1_999);
    expect(asked.length).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await done).toEqual({ seq: 8 });
    expect(asked.map((r) => r.headers.get("Idempotency-Key"))).toEqual(["01JDZ0000000000000000000A1", "01JDZ0000000000000000000A1"]);

    // Not for ever, and not what has no key or must wait long.
    answers = [busy, busy, busy];
    const twice = failure(api("/api/x", { method: "POST", command: "01JDZ0000000000000000000A2" }));
    await vi.advanceTimersByTimeAsync(10_000);
    expect([(await twice).reason, answers.length]).toEqual(["log_busy", 1]);
    expect((await failure(api("/api/x", { method: "POST" }))).reason).toBe("log_busy");
    answers = [() => problem(429, { code: "too_many", reason: "order_rate", detail: "wait" }, { "Retry-After": "60" })];
    expect((await failure(api("/api/x", { method: "POST", command: "01JDZ0000000000000000000A3" }))).retryAfter).toBe(60);
  } finally {
    vi.useRealTimers();
  }
});

test("ULIDs have 26 letters of the alphabet, differ, and sort by time", () => {
  const made = Array.from({ length: 100 }, () => ulid(1_700_000_000_000));
  expect(new Set(made).size).toBe(100);
  expect(made.every((id) => /^[0-9A-HJKMNP-TV-Z]{26}$/.test(id))).toBe(true);
  expect(made[0]?.slice(0, 10)).toBe("01HF7YAT00");
  expect(ulid(1_700_000_000_001) > (made[0] ?? "")).toBe(true);
});
