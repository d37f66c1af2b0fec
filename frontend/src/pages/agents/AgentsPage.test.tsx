import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import { expect, test } from "vitest";

import { agent, agentView, session, timeline } from "../../test/factories/wire";
import { open } from "../../test/page";
import { empty, json, problem, serve } from "../../test/server";

const id = "01JDZ0000000000000000000B9";

const all = (more: Record<string, Response | (() => Response)> = {}) =>
  serve({
    "GET /api/session": json(session()),
    "GET /api/agents?product=demo": json({ agents: [agent(), agent({ agent: "01JDZ0000000000000000000B2", name: "归档的", archived: true })] }),
    ...more,
  });

test("shows each agent with its version, what waits and what runs; archived ones are left out", async () => {
  all();
  const { container } = open("/");
  const card = within(await screen.findByRole("article"));
  expect(card.getByRole("link", { name: "末日塔防" })).toHaveAttribute("href", `/a/${agent().agent}`);
  expect(card.getByText("2 张卡等你决定")).toBeVisible();
  expect(card.getByText("2 个任务在跑")).toBeVisible();
  expect(card.getByText("创意基因第 5 版")).toBeInTheDocument();
  const { violations } = await axe.run(container, { rules: { "color-contrast": { enabled: false } } });
  expect(violations.map((v) => v.id)).toEqual([]);
});

test("nobody signed in leads to the sign-in page", async () => {
  serve({ "GET /api/session": problem(401, { code: "unauthorized", reason: "signed_out", detail: "sign in first" }) });
  const { router } = open("/");
  await waitFor(() => { expect(router.state.location.pathname).toBe("/signin"); });
});

test("empty states say what to do next", async () => {
  all({ "GET /api/agents?product=demo": json({ agents: null }) });
  const { unmount } = open("/");
  expect(await screen.findByText("这里还没有 Agent")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "新建 Agent" }));
  expect(await screen.findByRole("dialog", { name: "新建 Agent" })).toBeVisible();
  unmount();
  all({ "GET /api/session": json(session({ products: null })) });
  open("/");
  expect(await screen.findByText("你还不在任何产品里")).toBeVisible();
});

test("the product is chosen in the address", async () => {
  all({
    "GET /api/session": json(session({ products: [{ id: "demo", name: "游戏一部" }, { id: "two", name: "游戏二部" }] })),
    "GET /api/agents?product=two": json({ agents: [agent({ name: "海岛餐厅" })] }),
  });
  const { router } = open("/");
  await userEvent.click(await screen.findByRole("button", { name: "产品: 游戏一部" }));
  await userEvent.click(await screen.findByRole("menuitemradio", { name: "游戏二部" }));
  expect(await screen.findByRole("link", { name: "海岛餐厅" })).toBeVisible();
  expect(router.state.location.search).toEqual({ product: "two" });
});

test("creating sends name, brief, search document and sources, and leads to the materials", async () => {
  const asked = all({
    "POST /api/agents?product=demo": json({ agent: id, run: "01JDZ0000000000000000000C1", seq: 77 }),
    [`GET /api/agents/${id}?min_seq=77`]: json(agentView({ agent: id, name: "海岛" })),
    [`GET /api/agents/${id}`]: json(agentView({ agent: id, name: "海岛" })),
    [`GET /api/agents/${id}/timeline`]: json(timeline()),
  });
  const { router } = open("/?create=true");
  await userEvent.type(await screen.findByLabelText("名字"), " 海岛 ");
  await userEvent.type(screen.getByLabelText("检索需求"), "海边开店，快节奏");
  await userEvent.click(screen.getByRole("button", { name: "创建并开始搜索" }));
  await waitFor(() => { expect(router.state.location.pathname).toBe(`/a/${id}/materials`); });
  const post = asked.find((r) => r.method === "POST");
  expect(await post?.json()).toEqual({ name: "海岛", brief: "", search: "海边开店，快节奏", sources: ["fast"] });
  expect(post?.headers.get("Idempotency-Key")).toMatch(/^[0-9A-Z]{26}$/);
});

test("a retry keeps its key, changed content gets a new one, and what was typed stays", async () => {
  const asked = all({ "POST /api/agents?product=demo": () => problem(503, { code: "unavailable", reason: "contended", detail: "try again" }) });
  open("/?create=true");
  await userEvent.type(await screen.findByLabelText("名字"), "海岛");
  await userEvent.type(screen.getByLabelText("检索需求"), "海边开店");
  const submit = screen.getByRole("button", { name: "创建并开始搜索" });
  await userEvent.click(submit);
  expect(await screen.findByRole("alert")).toHaveTextContent("这次没有改动");
  expect(screen.getByLabelText("名字")).toHaveValue("海岛");
  await userEvent.click(submit);
  await userEvent.type(screen.getByLabelText("名字"), "二");
  await userEvent.click(submit);
  await waitFor(() => { expect(asked.filter((r) => r.method === "POST")).toHaveLength(3); });
  const keys = asked.filter((r) => r.method === "POST").map((r) => r.headers.get("Idempotency-Key"));
  expect(keys[0]).toBe(keys[1]);
  expect(keys[2]).not.toBe(keys[1]);
});

test("what is missing is named at its field and nothing is sent", async () => {
  const asked = all();
  open("/?create=true");
  await userEvent.click(await screen.findByRole("checkbox", { name: /快搜/ }));
  await userEvent.click(screen.getByRole("button", { name: "创建并开始搜索" }));
  expect(screen.getByLabelText("名字")).toHaveAccessibleDescription("请填写名字");
  expect(screen.getByLabelText("名字")).toHaveFocus();
  expect(screen.getByLabelText("检索需求")).toHaveAccessibleDescription("请至少写一条要找什么");
  expect(screen.getByText("至少选一个来源")).toBeVisible();
  expect(asked.some((r) => r.method === "POST")).toBe(false);
});

test("signing out ends the session and forgets what was read", async () => {
  const asked = all({ "DELETE /api/session": empty() });
  const { router } = open("/");
  await userEvent.click(await screen.findByRole("button", { name: "我：林" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "退出登录" }));
  await waitFor(() => { expect(router.state.location.pathname).toBe("/signin"); });
  expect(asked.some((r) => r.method === "DELETE")).toBe(true);
});
