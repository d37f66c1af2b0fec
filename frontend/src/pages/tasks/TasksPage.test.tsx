import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { run, runDetail } from "../../test/factories/library";
import { agent, agentView, limits, session, timeline } from "../../test/factories/wire";
import { onPhone, open } from "../../test/page";
import { json, problem, serve } from "../../test/server";
import { fakeSight } from "../../test/sight";

vi.mock("../../components/room/RoomDrawer", () => ({ RoomDrawer: () => null }));

const id = agent().agent;
const at = `/api/agents/${id}`;
const r1 = run().run;
const people = { "01JDZ0000000000000000000A1": "林" };

const runs = [
  run(),
  run({ run: "R2", seq: 2, work: "film", trigger: "order", requester: "butler:x", state: "worker_lost", progress: undefined, attempt: 1, lost: 1, request: {} }),
  run({ run: "R3", seq: 1, trigger: "daily", requester: "system:scheduler", state: "failed", reason: "source", request: { source: "competitor" }, products: [{ type: "material", id: "a" }] }),
];

const all = (more: Record<string, Response | (() => Response)> = {}) =>
  serve({
    "GET /api/session": json(session()),
    "GET /api/agents?product=demo": json({ agents: [agent()] }),
    [`GET ${at}`]: json(agentView()),
    [`GET ${at}/timeline`]: json(timeline()),
    [`GET ${at}/runs?limit=50`]: json({ runs, people }),
    [`GET ${at}/runs/${r1}`]: json(runDetail()),
    ...more,
  });

beforeEach(() => { fakeSight(); });
afterEach(() => { onPhone(false); });

test("each task says its state in a word, who asked and why, how far it is, what it cost", async () => {
  all();
  const { container } = open(`/a/${id}/tasks`);
  const first = within(await screen.findByRole("row", { name: /近景爆炸/ }));
  expect(first.getByText("进行中")).toBeVisible();
  expect(first.getByText("林")).toBeVisible();
  expect(first.getByText("手动")).toBeVisible();
  expect(first.getByText("已找到 7 / 12 条 · 第 3 / 12 页")).toBeVisible();
  expect(first.getByRole("progressbar")).toHaveAttribute("aria-valuenow", "7");
  expect(first.getByText("¥0.84 / 3")).toBeVisible();
  const lost = within(screen.getByRole("row", { name: /做成片/ }));
  expect(lost.getByText("执行机失联")).toBeVisible();
  expect(lost.getByText("管家")).toBeVisible();
  expect(lost.getByText("等别的执行机接手（第 1 次尝试已失联）")).toBeVisible();
  const failed = within(screen.getByRole("row", { name: /竞品/ }));
  expect(failed.getByText("来源出了问题 · 已得到的 1 条保留")).toBeVisible();
  const { violations } = await axe.run(container, { rules: { "color-contrast": { enabled: false }, region: { enabled: false } } });
  expect(violations.map((v) => v.id)).toEqual([]);
});

test("the cap is the server's, and the steps of a deep search have a word", async () => {
  all({
    "GET /api/session": json(session({ limits: limits({ run_cost_yuan: 0.9 }) })),
    [`GET ${at}/runs?limit=50`]: json({ runs: [run({ request: { source: "hot" }, progress: { done: 3, target: 7, unit: "steps" } })], people }),
  });
  open(`/a/${id}/tasks`);
  const row = within(await screen.findByRole("row", { name: /爆款/ }));
  expect(row.getByText("走完 3 / 7 步")).toBeVisible();
  expect(row.getByTitle("已花 ¥0.84，上限 ¥0.9")).toHaveTextContent("¥0.84 / 0.9");
});

test("filters live in the address and go to the server", async () => {
  all({ [`GET ${at}/runs?state=failed&limit=50`]: json({ runs: [runs[2]], people }), [`GET ${at}/runs?state=failed&work=film&limit=50`]: json({ runs: [], people }) });
  const { router } = open(`/a/${id}/tasks`);
  await userEvent.click(await screen.findByRole("button", { name: "失败" }));
  await waitFor(() => { expect(screen.getAllByRole("row")).toHaveLength(2); });
  await userEvent.selectOptions(screen.getByLabelText("种类"), "film");
  expect(await screen.findByText("没有符合筛选的任务")).toBeVisible();
  expect(router.state.location.search).toEqual({ state: "failed", work: "film" });
});

test("the detail shows attempts and rounds; an error in a round is never folded away", async () => {
  all();
  open(`/a/${id}/tasks?run=${r1}`);
  const sheet = within(await screen.findByRole("dialog", { name: "找片 · 近景爆炸" }));
  expect(await sheet.findByText("第 1 次尝试")).toBeVisible();
  expect(sheet.getByText("先找爆炸")).toBeVisible();
  expect(sheet.getByText("search_fast · 出错")).toBeVisible();
  expect(sheet.getAllByText("缓存占 75%").length).toBeGreaterThan(0);
  expect(sheet.getByText("用量未知")).toBeInTheDocument();
  expect(sheet.getByText("林")).toBeVisible();
});

test("cancelling asks first, then says that it was asked", async () => {
  let cancel = "";
  const detail = () => json(runDetail({ state: cancel === "" ? "running" : "stopping", cancel: cancel || undefined }));
  all({
    [`GET ${at}/runs/${r1}`]: detail,
    [`GET ${at}/runs/${r1}?min_seq=91`]: detail,
    [`GET ${at}/runs?limit=50&min_seq=91`]: json({ runs, people }),
    [`POST ${at}/runs/${r1}/cancel`]: () => {
      cancel = "person";
      return json({ seq: 91, ended: false });
    },
  });
  open(`/a/${id}/tasks?run=${r1}`);
  await userEvent.click(await screen.findByRole("button", { name: "取消任务" }));
  expect(cancel).toBe("");
  await userEvent.click(await screen.findByRole("button", { name: "取消它" }));
  expect(await screen.findByText("已要求停止，等执行机收尾")).toBeVisible();
  expect(screen.queryByRole("button", { name: "取消任务" })).toBeNull();
});

test("a retry asks with which gene and opens the new run; a refused click is sent again with its key", async () => {
  let tries = 0;
  const done = runDetail({ state: "failed", reason: "cost", finished_at: "2026-11-30T10:01:00Z" });
  const asked = all({
    [`GET ${at}/runs/${r1}`]: json(done),
    [`GET ${at}/runs/R9?min_seq=95`]: json(runDetail({ run: "R9", trigger: "retry", retry_of: r1 })),
    [`GET ${at}/runs?limit=50&min_seq=95`]: json({ runs, people }),
    [`POST ${at}/runs/${r1}/retry`]: () => (++tries === 1 ? problem(503, { code: "unavailable", detail: "later" }) : json({ run: "R9", seq: 95 })),
  });
  const { router } = open(`/a/${id}/tasks?run=${r1}`);
  expect(await screen.findByRole("button", { name: "追加预算" })).toBeVisible();
  expect(screen.getByText("可以追加预算接着跑。")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "重试" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "同一版（V5）" }));
  await userEvent.click(await screen.findByRole("button", { name: "再试一次" }));
  await waitFor(() => { expect(router.state.location.search).toEqual({ run: "R9" }); });
  const posts = asked.filter((r) => r.method === "POST");
  expect(new Set(posts.map((r) => r.headers.get("Idempotency-Key"))).size).toBe(1);
  expect(await posts[1]?.json()).toEqual({ same_gene: true });
});

test("on a phone the tasks are a list, not a table", async () => {
  onPhone(true);
  all();
  open(`/a/${id}/tasks`);
  expect(await screen.findByRole("link", { name: "打开任务：找片 · 近景爆炸" })).toBeVisible();
  expect(screen.queryByRole("table")).toBeNull();
});

test("no tasks yet: says where they come from", async () => {
  all({ [`GET ${at}/runs?limit=50`]: json({ runs: [], people }) });
  open(`/a/${id}/tasks`);
  expect(await screen.findByText("还没有任务")).toBeVisible();
  expect(screen.getByRole("link", { name: "去创意源" })).toHaveAttribute("href", `/a/${id}/materials`);
});
