import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import { beforeEach, expect, test, vi } from "vitest";

import { feedback, listed, material, run } from "../../test/factories/library";
import { agent, agentView, limits, session, timeline } from "../../test/factories/wire";
import { open } from "../../test/page";
import { json, problem, serve } from "../../test/server";
import { fakeSight } from "../../test/sight";

vi.mock("../../components/room/RoomDrawer", () => ({ RoomDrawer: () => null }));

const id = agent().agent;
const m1 = material().material;
const at = `/api/agents/${id}`;
const searching = `GET ${at}/runs?state=requested&state=running&state=stopping&state=worker_lost&work=search&limit=20`;

const all = (more: Record<string, Response | (() => Response)> = {}) =>
  serve({
    "GET /api/session": json(session()),
    "GET /api/agents?product=demo": json({ agents: [agent()] }),
    [`GET ${at}`]: json(agentView()),
    [`GET ${at}/timeline`]: json(timeline()),
    [`GET ${at}/materials?limit=48`]: json({ materials: [material(), listed({ material: "01JDZ0000000000000000000M2", title: "竞品：一炮清屏", state: "adopted", seq: 30 })], more: false }),
    [`GET ${at}/materials/${m1}`]: json({ ...material(), use: { boards: [], films: [] } }),
    [`GET ${at}/feedback?type=material&limit=500`]: json({ items: [], people: {} }),
    [`GET ${at}/feedback?type=material&id=${m1}&limit=200`]: json({ items: [feedback({ words: "抓人" })], people: { [feedback().by]: "林" } }),
    [searching]: json({ runs: [], people: {} }),
    ...more,
  });

beforeEach(() => {
  sessionStorage.clear();
  fakeSight();
  Object.assign(navigator, { sendBeacon: () => true });
});

test("the grid shows where each comes from, its rating and its state; one without a file says so", async () => {
  all();
  const { container } = open(`/a/${id}/materials`);
  const [first, second] = await screen.findAllByRole("article");
  const one = within(first ?? document.body);
  expect(one.getByRole("link", { name: /^打开：整座石桥一拱一拱炸开/ })).toHaveAttribute("href", `/a/${id}/materials?m=${m1}`);
  expect(one.getByText("抖音 · creator-014")).toBeVisible();
  expect(one.getByText("高潜")).toBeVisible();
  expect(one.getByText("新")).toBeVisible();
  expect(one.getByText("时长 8 秒")).toBeInTheDocument();
  const two = within(second ?? document.body);
  expect(two.getByText("没有视频文件")).toBeVisible();
  expect(two.getByText("已采用")).toBeVisible();
  expect(screen.getByText("到底了，共 2 条")).toBeVisible();
  const { violations } = await axe.run(container, { rules: { "color-contrast": { enabled: false }, region: { enabled: false } } });
  expect(violations.map((v) => v.id)).toEqual([]);
});

test("filters live in the address and go to the server", async () => {
  all({ [`GET ${at}/materials?rating=high&state=new&limit=48`]: json({ materials: [], more: false }), [`GET ${at}/materials?state=new&limit=48`]: json({ materials: [material()], more: false }) });
  const { router } = open(`/a/${id}/materials?state=new`);
  expect(await screen.findByRole("button", { name: "新", pressed: true })).toBeVisible();
  await userEvent.selectOptions(screen.getByLabelText("评级"), "high");
  expect(await screen.findByText("没有符合筛选的创意源")).toBeVisible();
  expect(router.state.location.search).toEqual({ state: "new", rating: "high" });
  await userEvent.click(screen.getAllByRole("button", { name: "清除筛选" })[0] ?? document.body);
  expect(await screen.findAllByRole("article")).toHaveLength(2);
  expect(router.state.location.search).toEqual({});
});

test("a like is recorded with a key and read again from where it was written", async () => {
  const asked = all({
    [`POST ${at}/feedback`]: json({ feedback: "F9", seq: 77 }),
    [`GET ${at}/feedback?type=material&limit=500&min_seq=77`]: json({ items: [feedback({ feedback: "F9" })], people: {} }),
  });
  open(`/a/${id}/materials`);
  const tile = within((await screen.findAllByRole("article"))[0] ?? document.body);
  await userEvent.click(await tile.findByRole("button", { name: "赞" }));
  expect(await tile.findByRole("button", { name: "赞", pressed: true })).toBeInTheDocument();
  const post = asked.find((r) => r.method === "POST");
  expect(post?.headers.get("Idempotency-Key")).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  expect(await post?.json()).toEqual({ object: { type: "material", id: m1 }, verdict: "like" });
});

test("the detail is in the address, with player, analysis, feedback and origin, and closes", async () => {
  all();
  const { router } = open(`/a/${id}/materials?m=${m1}`);
  const dialog = within(await screen.findByRole("dialog", { name: "整座石桥一拱一拱炸开" }));
  expect(await dialog.findByText("抓人")).toBeVisible();
  expect(dialog.getByRole("slider", { name: "播放位置" })).toBeInTheDocument();
  expect(dialog.getByText("用 V5 找到")).toBeVisible();
  expect(dialog.getByText("还没有方案用到它。")).toBeVisible();
  expect(dialog.getByRole("link", { name: "看那次任务" })).toHaveAttribute("href", `/a/${id}/tasks?run=${material().run}`);
  await userEvent.click(dialog.getByRole("button", { name: "下一条" }));
  await waitFor(() => { expect(router.state.location.search).toEqual({ m: "01JDZ0000000000000000000M2" }); });
  await userEvent.keyboard("{Escape}");
  await waitFor(() => { expect(router.state.location.search).toEqual({}); });
});

test("finding more says its cap before, keeps its key when it fails, and shows the search", async () => {
  let tries = 0;
  let found: object[] = [];
  const asked = all({
    [`POST ${at}/runs`]: () => {
      if (++tries === 1) return problem(503, { code: "unavailable", detail: "later" });
      found = [run({ state: "requested", progress: undefined })];
      return json({ run: run().run, seq: 80 });
    },
    [`${searching}&min_seq=80`]: () => json({ runs: found, people: {} }),
  });
  open(`/a/${id}/materials`);
  await userEvent.click(await screen.findByRole("button", { name: "再找一批" }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(dialog.getByText(/一次最多花 ¥3/)).toBeVisible();
  await userEvent.type(dialog.getByLabelText(/特别想找什么/), "近景爆炸");
  await userEvent.click(dialog.getByRole("button", { name: "开始找" }));
  expect(await dialog.findByRole("alert")).toBeVisible();
  await userEvent.click(dialog.getByRole("button", { name: "开始找" }));
  expect(await screen.findByText("已排队，马上开始找")).toBeVisible();
  const posts = asked.filter((r) => r.method === "POST" && r.url.endsWith("/runs"));
  expect(new Set(posts.map((r) => r.headers.get("Idempotency-Key"))).size).toBe(1);
  expect(await posts[1]?.json()).toEqual({ work: "search", what: "近景爆炸", target: 12 });
});

test("a source is searched by hand from its address: said what it costs, and named in the request", async () => {
  const asked = all({
    "GET /api/session": json(session({ limits: limits({ run_cost_yuan: 4.5 }) })),
    [`POST ${at}/runs`]: json({ run: run().run, seq: 80 }),
  });
  const { router } = open(`/a/${id}/materials?find=competitor`);
  const dialog = within(await screen.findByRole("dialog"));
  expect(dialog.getByText(/一次最多花 ¥4.5/)).toBeVisible();
  expect(dialog.getByRole("radio", { name: "竞品" })).toBeChecked();
  expect(dialog.getByRole("radio", { name: "竞品" })).toHaveAccessibleDescription(/每回 ¥1\.50/);
  expect(dialog.getByRole("radio", { name: "爆款" })).toBeDisabled();
  expect(dialog.getByRole("link", { name: "修改来源" })).toHaveAttribute("href", `/a/${id}/gene?sources=true`);
  await userEvent.click(dialog.getByRole("button", { name: "开始找" }));
  await waitFor(() => { expect(router.state.location.search).toEqual({}); });
  expect(await asked.find((r) => r.method === "POST" && r.url.endsWith("/runs"))?.json()).toEqual({ work: "search", source: "competitor", target: 12 });
});

test("a deep search says how many of its steps are done", async () => {
  all({ [searching]: json({ runs: [run({ request: { source: "hot" }, progress: { done: 3, target: 7, unit: "steps" } })], people: {} }) });
  open(`/a/${id}/materials`);
  expect(await screen.findByText("深搜走完 3 / 7 步")).toBeVisible();
});

test("several materials are chosen and made into a board, in the order of choice", async () => {
  const asked = all({
    [`POST ${at}/runs`]: json({ run: run().run, seq: 80 }),
    [`GET ${at}/boards?limit=30&min_seq=80`]: json({ boards: [], materials: {}, more: false }),
  });
  const { router } = open(`/a/${id}/materials`);
  const [first, second] = await screen.findAllByRole("article");
  await userEvent.click(within(second ?? document.body).getByRole("button", { name: "选进方案：竞品：一炮清屏" }));
  await userEvent.click(within(first ?? document.body).getByRole("button", { name: /^选进方案：整座石桥/ }));
  const bar = within(screen.getByRole("region", { name: "选进方案的创意源" }));
  expect(bar.getByText("已选 2 条")).toBeVisible();
  await userEvent.click(bar.getByRole("button", { name: "做方案" }));
  const dialog = within(await screen.findByRole("dialog", { name: "写一份方案" }));
  expect(dialog.getByText("用这 2 条创意源")).toBeVisible();
  await userEvent.click(dialog.getByRole("button", { name: "开始写" }));
  await waitFor(() => { expect(router.state.location.pathname).toBe(`/a/${id}/boards`); });
  expect(await asked.find((r) => r.method === "POST" && r.url.endsWith("/runs"))?.json()).toEqual({
    work: "board", cites: [{ type: "material", id: "01JDZ0000000000000000000M2" }, { type: "material", id: m1 }],
  });
});

test("a dismissal can be taken back at once", async () => {
  all();
  open(`/a/${id}/materials`);
  const tile = within((await screen.findAllByRole("article"))[0] ?? document.body);
  await userEvent.click(tile.getByRole("button", { name: /^忽略：/ }));
  expect(tile.getAllByText("已忽略").length).toBeGreaterThan(0);
  await userEvent.click(tile.getByRole("button", { name: "撤销" }));
  expect(tile.getByText("新")).toBeVisible();
});

test("a viewer reads, but is offered nothing that writes", async () => {
  all({ "GET /api/session": json(session({ user: { id: "01JDZ0000000000000000000A1", name: "林", admin: false } })), [`GET ${at}`]: json(agentView({ role: "viewer" })) });
  open(`/a/${id}/materials`);
  const tile = within((await screen.findAllByRole("article"))[0] ?? document.body);
  expect(tile.queryByRole("button", { name: "赞" })).toBeNull();
  expect(screen.queryByRole("button", { name: "再找一批" })).toBeNull();
});

test("an empty library says what to do; an error says so and can be tried again", async () => {
  all({ [`GET ${at}/materials?limit=48`]: json({ materials: [], more: false }) });
  const { unmount } = open(`/a/${id}/materials`);
  expect(await screen.findByText("还没有创意源")).toBeVisible();
  unmount();
  all({ [`GET ${at}/materials?limit=48`]: problem(500, { code: "internal", detail: "x", id: "E1" }) });
  open(`/a/${id}/materials`);
  expect(await screen.findByRole("alert")).toHaveTextContent("E1");
  all();
  await userEvent.click(screen.getByRole("button", { name: "再试一次" }));
  expect(await screen.findAllByRole("article")).toHaveLength(2);
});
