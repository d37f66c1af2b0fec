import { QueryClient } from "@tanstack/react-query";
import { beforeEach, expect, test } from "vitest";

import { run, runDetail } from "../test/factories/library";
import { json, serve } from "../test/server";
import { followRun } from "./runlive";
import { commandRun, openRunsQuery, runQuery, runsQuery } from "./runs";

const agent = "a1";
const filter = { state: [], work: [], trigger: "", version: 0 };
const listAt = `GET /api/agents/${agent}/runs?limit=50`;
const searchingAt = `GET /api/agents/${agent}/runs?state=requested&state=running&state=stopping&state=worker_lost&work=search&limit=20`;

let queries: QueryClient;
beforeEach(() => { queries = new QueryClient({ defaultOptions: { queries: { retry: false } } }); });

test("a run is read with its person, cap and tokens; unknown tokens stay unknown", async () => {
  serve({
    [listAt]: json({ runs: [run(), run({ run: "R2", state: "done", reason: "cost", usage: { known: false, input: 0, cache_write: 0, cache_read: 0, output: 0 }, requester: "system:scheduler" })], people: { "01JDZ0000000000000000000A1": "林" } }),
  });
  const [first, second] = (await queries.infiniteQuery(runsQuery(agent, filter))).pages[0]?.runs ?? [];
  expect([first?.person, first?.open, first?.capped, first?.usage?.cacheRead]).toEqual(["林", true, false, 600]);
  expect([second?.person, second?.personId, second?.open, second?.capped, second?.usage]).toEqual(["", "", false, true, null]);
});

test("the cost of a round is counted in millionths of ¥", async () => {
  serve({ [`GET /api/agents/${agent}/runs/R1`]: json(runDetail()) });
  const detail = await queries.query(runQuery(agent, "R1"));
  expect(detail.steps.map((s) => s.cost)).toEqual([0.42, 0.42]);
  expect(detail.attempts[0]?.worker).toBe("vm-1");
});

test("progress is shown without reading the list again; an end is read", async () => {
  const asked = serve({ [listAt]: json({ runs: [run()], people: {} }), [searchingAt]: json({ runs: [run()], people: {} }) });
  await queries.infiniteQuery(runsQuery(agent, filter));
  await queries.query(openRunsQuery(agent, "search"));
  const shown = () => queries.getQueryData(runsQuery(agent, filter).queryKey)?.pages[0]?.runs[0];
  followRun(queries, agent, { seq: 60, run: run().run, state: "running", progress: { done: 9, target: 12, unit: "materials", page: 4, pages: 12 } });
  expect(shown()?.progress?.done).toBe(9);
  expect(queries.getQueryData(openRunsQuery(agent, "search").queryKey)?.[0]?.progress?.page).toBe(4);
  expect(queries.getQueryState(runsQuery(agent, filter).queryKey)?.isInvalidated).toBe(false);
  followRun(queries, agent, { seq: 61, run: run().run, state: "done" });
  expect([shown()?.state, shown()?.open]).toEqual(["done", false]);
  expect(queries.getQueryState(runsQuery(agent, filter).queryKey)?.isInvalidated).toBe(true);
  followRun(queries, agent, { seq: 62, run: "R9", state: "requested" });
  expect(asked).toHaveLength(2); // nobody looks at it, so nothing was asked
});

test("commands carry their key, and reads after them the sequence they wrote", async () => {
  const asked = serve({
    [`POST /api/agents/${agent}/runs/R1/retry`]: json({ run: "R2", seq: 90 }),
    [`POST /api/agents/${agent}/runs/R1/cancel`]: json({ seq: 91, ended: false }),
    [`GET /api/agents/${agent}/runs/R1?min_seq=91`]: json(runDetail()),
  });
  expect(await commandRun(queries, agent, { key: "K1", do: "retry", run: "R1", sameGene: true })).toBe("R2");
  expect(await commandRun(queries, agent, { key: "K2", do: "cancel", run: "R1" })).toBe("");
  await queries.query(runQuery(agent, "R1"));
  expect(asked.map((r) => r.headers.get("Idempotency-Key"))).toEqual(["K1", "K2", null]);
  expect(await asked[0]?.json()).toEqual({ same_gene: true });
});
