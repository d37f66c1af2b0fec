import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { agent, agentView, session, timeline } from "../../test/factories/wire";
import { onPhone, open } from "../../test/page";
import { json, problem, serve } from "../../test/server";

// The frame is tested by itself: its pages have tests of their own.
vi.mock("../../pages/materials/MaterialsPage", () => ({ MaterialsPage: () => <p>{"materials page"}</p> }));
vi.mock("../../pages/gene/GenePage", () => ({ GenePage: () => <p>{"gene page"}</p> }));
vi.mock("../../pages/tasks/TasksPage", () => ({ TasksPage: () => <p>{"tasks page"}</p> }));
vi.mock("../room/RoomDrawer", () => ({ RoomDrawer: () => <textarea aria-label="composer" /> }));

const id = agent().agent;

const all = (more: Record<string, Response> = {}) =>
  serve({
    "GET /api/session": json(session()),
    "GET /api/agents?product=demo": json({ agents: [agent(), agent({ agent: "01JDZ0000000000000000000B2", name: "海岛餐厅" })] }),
    [`GET /api/agents/${id}`]: json(agentView()),
    [`GET /api/agents/${id}/timeline`]: json(timeline()),
    ...more,
  });

beforeEach(() => { all(); });
afterEach(() => { onPhone(false); });

test("the tabs carry what is new, the version and what runs", async () => {
  open(`/a/${id}/materials`);
  expect(await screen.findByText("materials page")).toBeVisible();
  const tabs = within(await screen.findByRole("navigation", { name: "末日塔防 的页面" }));
  expect(tabs.getByRole("link", { name: "创意源 7 条新到" })).toHaveAttribute("aria-current", "page");
  expect(tabs.getByRole("link", { name: "创意基因 第 5 版" })).toBeVisible();
  expect(screen.getByRole("link", { name: "任务中心 2 个在跑" })).toBeVisible();
  expect(document.title).toBe("末日塔防 · Sozai");
});

test("the drawer folds away, says that something waits, and stays as it was left", async () => {
  const { unmount } = open(`/a/${id}/gene`);
  expect(await screen.findByLabelText("composer")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "收起管家" }));
  expect(screen.queryByLabelText("composer")).toBeNull();
  expect(screen.getByText("2 张卡等你决定")).toBeInTheDocument();
  unmount();
  all();
  open(`/a/${id}/gene`);
  await userEvent.click(await screen.findByRole("button", { name: "打开管家" }));
  expect(await screen.findByLabelText("composer")).toBeVisible();
});

test("the drawer's width follows the arrow keys, within its bounds, and is kept", async () => {
  const { unmount } = open(`/a/${id}/gene`);
  const edge = await screen.findByRole("separator", { name: "管家栏的宽度" });
  expect(edge).toHaveAttribute("aria-valuenow", "420");
  edge.focus();
  await userEvent.keyboard("{ArrowLeft}");
  expect(edge).toHaveAttribute("aria-valuenow", "444");
  for (let i = 0; i < 8; i++) await userEvent.keyboard("{ArrowRight}");
  expect(edge).toHaveAttribute("aria-valuenow", "320");
  unmount();
  all();
  open(`/a/${id}/gene`);
  expect(await screen.findByRole("separator", { name: "管家栏的宽度" })).toHaveAttribute("aria-valuenow", "320");
});

test("on a phone the room is the first tab and an agent opens there", async () => {
  onPhone(true);
  const { router } = open(`/a/${id}`);
  expect(await screen.findByLabelText("composer")).toBeVisible();
  expect(router.state.location.pathname).toBe(`/a/${id}/room`);
  const links = within(screen.getByRole("navigation", { name: /的页面/ })).getAllByRole("link");
  expect(links.map((l) => l.textContent)).toEqual([expect.stringMatching(/^管家/), expect.stringMatching(/^创意源/), expect.stringMatching(/^方案/), expect.stringMatching(/^成片/), expect.stringMatching(/^创意基因/), expect.stringMatching(/^任务中心/)]);
  expect(screen.queryByRole("complementary")).toBeNull();
});

test("beside a page the room's address is the materials", async () => {
  const { router } = open(`/a/${id}/room`);
  expect(await screen.findByText("materials page")).toBeVisible();
  expect(router.state.location.pathname).toBe(`/a/${id}/materials`);
});

test("g and a letter move, g r goes to the composer, and letters in it stay letters", async () => {
  open(`/a/${id}/materials`);
  const composer = await screen.findByLabelText("composer");
  await userEvent.keyboard("gt");
  expect(await screen.findByText("tasks page")).toBeVisible();
  await userEvent.keyboard("gg");
  expect(await screen.findByText("gene page")).toBeVisible();
  await userEvent.keyboard("gr");
  await waitFor(() => { expect(composer).toHaveFocus(); });
  await userEvent.keyboard("gm?");
  expect(composer).toHaveValue("gm?");
  expect(screen.getByText("gene page")).toBeVisible();
});

test("the palette jumps to another agent with the keyboard alone", async () => {
  const { router } = open(`/a/${id}/materials`);
  await screen.findByText("materials page");
  await userEvent.keyboard("{Control>}k{/Control}");
  const input = await screen.findByRole("combobox", { name: "搜索或跳转" });
  expect(input).toHaveFocus();
  expect(await screen.findByRole("option", { name: /海岛餐厅/ })).toBeVisible();
  await userEvent.keyboard("海岛");
  expect(screen.getByRole("option", { selected: true })).toHaveTextContent("海岛餐厅");
  await userEvent.keyboard("{Enter}");
  await waitFor(() => { expect(router.state.location.pathname).toContain("01JDZ0000000000000000000B2"); });
});

test("the palette searches the materials for what nothing else fits", async () => {
  const { router } = open(`/a/${id}/gene`);
  await screen.findByText("gene page");
  await userEvent.keyboard("{Control>}k{/Control}");
  await screen.findByRole("combobox");
  await userEvent.keyboard("石桥{Enter}");
  await waitFor(() => { expect(router.state.location.pathname).toBe(`/a/${id}/materials`); });
  expect(router.state.location.search).toMatchObject({ q: "石桥" });
});

test("the keys are listed on ? and the list closes with Escape", async () => {
  open(`/a/${id}/gene`);
  await screen.findByText("gene page");
  await userEvent.keyboard("?");
  expect(await screen.findByRole("dialog", { name: "快捷键" })).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await waitFor(() => { expect(screen.queryByRole("dialog")).toBeNull(); });
});

test("an agent one may not see says so and leads back", async () => {
  all({ [`GET /api/agents/${id}`]: problem(404, { code: "not_found", detail: "there is no such agent" }) });
  open(`/a/${id}/gene`);
  expect(await screen.findByRole("heading", { name: "没有这个 Agent，或者你看不到它" })).toBeInTheDocument();
  expect(screen.getByRole("link", { name: "回到 Agent 列表" })).toHaveAttribute("href", "/");
});

test("a viewer is told that they cannot change anything", async () => {
  all({ "GET /api/session": json(session({ user: { id: "x", name: "周", admin: false } })), [`GET /api/agents/${id}`]: json(agentView({ role: "viewer" })) });
  open(`/a/${id}/gene`);
  expect(await screen.findByText("你在这里是观看者，只能看。")).toBeVisible();
});
