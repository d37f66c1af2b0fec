import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import { afterEach, expect, test } from "vitest";

import { build, parked, session, slot, sources, streams, system, work } from "../../test/factories/wire";
import { onPhone, open } from "../../test/page";
import { empty, json, problem, serve } from "../../test/server";

afterEach(() => { onPhone(false); });

const all = (more: Record<string, Response | (() => Response)> = {}) =>
  serve({
    "GET /api/session": json(session()),
    "GET /api/system": json(system()),
    "GET /api/system/streams": json(streams()),
    "GET /api/system/sources": json(sources()),
    "GET /api/system/work": json(work([slot(), slot({ state: "silent", worker: undefined, run: undefined, turn: "01JDZ0000000000000000000F1", work: "butler" }), slot({ state: "waiting", worker: undefined, attempt: 0, started_at: undefined })])),
    ...more,
  });

const asked = (requests: Request[], method: string, path: string) => requests.filter((r) => r.method === method && new URL(r.url).pathname === path).length;

test("shows how far each read model is, the streams with their readers, and who works on what", async () => {
  all();
  const { container } = open("/system");
  const row = within(await screen.findByRole("row", { name: /tasks/ }));
  expect(row.getByText("正在建立")).toBeVisible();
  expect(row.getByText("4 条")).toBeVisible();
  expect(row.getByText("第 3 代 · 版 1")).toBeVisible();

  const events = within(await screen.findByRole("row", { name: /EVENTS/ }));
  expect(events.getByText("1.2 MB")).toBeVisible();
  expect(events.getByText("sozai-dispatch")).toBeVisible();
  expect(within(screen.getByRole("row", { name: /TIMERS/ })).getByText("没有消费者")).toBeVisible();

  const hands = within(await screen.findByRole("region", { name: "正在做的活" }));
  expect(hands.getByText("2 个在做，1 个在等")).toBeVisible();
  expect(hands.getByText("host-7")).toBeVisible();
  expect(hands.getByText("15 秒内有动静")).toBeVisible();
  expect(hands.getByText(/超过 15 秒没有动静/)).toBeVisible();
  expect(hands.getByText("还没有人接")).toBeVisible();
  expect(hands.getAllByRole("link", { name: "看任务" })[0]).toHaveAttribute("href", expect.stringContaining("run="));
  const { violations } = await axe.run(container, { rules: { "color-contrast": { enabled: false } } });
  expect(violations.map((v) => v.id)).toEqual([]);
});

test("an outside service says how it is, what it cost and its last error; calls of unknown end are shown to look up", async () => {
  all();
  const { container } = open("/system");
  const services = within(await screen.findByRole("region", { name: "外部服务" }));
  const tikhub = within(await services.findByRole("row", { name: /tikhub/ }));
  expect(tikhub.getByText("连续出错，暂停")).toBeVisible();
  expect(tikhub.getByText(/再试$/)).toBeVisible();
  expect(tikhub.getByText("¥1.25")).toBeVisible();
  expect(tikhub.getByText("503 from the service")).toBeVisible();
  expect(within(services.getByRole("row", { name: /render/ })).getByText("没有配置")).toBeVisible();
  expect(services.getByText("不知道有没有扣费的调用：3")).toBeVisible();
  expect(services.getByRole("link", { name: "看任务" })).toHaveAttribute("href", expect.stringContaining("run="));
  expect(services.getByText("还有 2 个没有列出")).toBeVisible();
  const { violations } = await axe.run(container, { rules: { "color-contrast": { enabled: false } } });
  expect(violations.map((v) => v.id)).toEqual([]);
});

test("on a phone the services are cards", async () => {
  onPhone(true);
  all();
  open("/system");
  const services = within(await screen.findByRole("region", { name: "外部服务" }));
  expect((await services.findAllByText("tikhub"))[0]).toBeVisible();
  expect(services.queryByRole("table")).toBeNull();
});

test("a rebuild shows how far it is, how fast and how long, and can be cancelled", async () => {
  const requests = all({ "GET /api/system": json(system({ builds: [build(), build({ projection: "timeline", state: "stopped", rate: 0, eta: 0, error: "event 7 cannot be applied" })] })), "DELETE /api/system/projections/tasks/rebuild": empty() });
  const { container } = open("/system");
  const bar = await screen.findByRole("progressbar", { name: /任务：重建/ });
  expect(bar).toHaveAttribute("aria-valuenow", "50000");
  expect(bar).toHaveAttribute("aria-valuetext", "50,000 / 200,000 条 · 25,000 条/秒 · 还要 6秒");
  expect(screen.getByText("event 7 cannot be applied")).toBeVisible();
  expect(screen.getByRole("button", { name: "重建房间记录" })).toHaveTextContent("接着建");
  await userEvent.click(screen.getByRole("button", { name: "取消任务的重建" }));
  await waitFor(() => { expect(asked(requests, "DELETE", "/api/system/projections/tasks/rebuild")).toBe(1); });
  const { violations } = await axe.run(container, { rules: { "color-contrast": { enabled: false } } });
  expect(violations.map((v) => v.id)).toEqual([]);
});

test("all are rebuilt only after a question; a refusal keeps the question open and says why", async () => {
  let answer = () => problem(409, { code: "conflict", reason: "rebuild_running", detail: "running" });
  const requests = all({ "POST /api/system/projections/all/rebuild": () => answer(), "POST /api/system/projections/timeline/rebuild": empty() });
  open("/system");
  await userEvent.click(await screen.findByRole("button", { name: "重建房间记录" }));
  expect(await screen.findByText("重建已经开始。")).toBeInTheDocument();
  expect(asked(requests, "POST", "/api/system/projections/timeline/rebuild")).toBe(1);

  await userEvent.click(screen.getByRole("button", { name: "全部重建" }));
  const question = await screen.findByRole("dialog", { name: "重建全部读模型？" });
  expect(asked(requests, "POST", "/api/system/projections/all/rebuild")).toBe(0);
  await userEvent.click(within(question).getByRole("button", { name: "开始重建" }));
  expect(await within(question).findByRole("alert")).toHaveTextContent("它已经在重建了");
  answer = empty;
  await userEvent.click(within(question).getByRole("button", { name: "开始重建" }));
  await waitFor(() => { expect(screen.queryByRole("dialog")).toBeNull(); });
});

test("what is parked has its cause, and can be tried again", async () => {
  const requests = all({
    "GET /api/system": json(system({ parked: [parked()] })),
    "POST /api/system/parked/retry": problem(409, { code: "conflict", reason: "still_parked", detail: "event 1100 cannot be applied" }),
  });
  open("/system");
  const list = within(await screen.findByRole("region", { name: "停放的事件" }));
  expect(list.getByText("truncated")).toBeVisible();
  expect(list.getByText("后面等着 12 条")).toBeVisible();
  await userEvent.click(list.getByRole("button", { name: /重试 末日塔防/ }));
  expect(await list.findByRole("alert")).toHaveTextContent("还是用不了这条事件");
  const sent = requests.find((r) => r.method === "POST");
  expect(await sent?.json()).toEqual({ projection: "timeline", product: "demo", agent: "01JDZ0000000000000000000B1" });
});

test("a read model that stopped says what helps", async () => {
  const [timeline] = system().projections;
  all({ "GET /api/system": json(system({ projections: [{ ...timeline, status: "diverged", error: "event 9 is another one" }] })) });
  open("/system");
  expect(await screen.findByText("与日志不符")).toBeVisible();
  expect(screen.getByText(/重建会从现在的日志重新算一遍/)).toBeVisible();
  expect(screen.getByText("event 9 is another one")).toBeVisible();
});

test("who is no administrator sees positions and nothing to press", async () => {
  const requests = all({ "GET /api/session": json(session({ user: { id: "01JDZ0000000000000000000A2", name: "周", admin: false } })) });
  open("/system");
  expect(await screen.findByText(/管理员才能看到/)).toBeVisible();
  await screen.findByRole("row", { name: /timeline/ });
  expect(screen.queryByRole("button", { name: /重建/ })).toBeNull();
  expect(asked(requests, "GET", "/api/system/streams")).toBe(0);
});

test("on a phone rows are cards", async () => {
  onPhone(true);
  all({ "GET /api/system": json(system({ builds: [build()] })) });
  const { container } = open("/system");
  expect(await screen.findByRole("heading", { name: "任务" })).toBeVisible();
  expect(await screen.findByRole("heading", { name: "EVENTS" })).toBeVisible();
  expect(screen.queryByRole("table")).toBeNull();
  expect(screen.getByRole("button", { name: "取消任务的重建" })).toBeVisible();
  const { violations } = await axe.run(container, { rules: { "color-contrast": { enabled: false } } });
  expect(violations.map((v) => v.id)).toEqual([]);
});

test("the rehearsal model is named as such, a real one by its name", async () => {
  all();
  const { unmount } = open("/system");
  expect(await screen.findByText(/不是真正的大模型/)).toBeVisible();
  unmount();
  all({ "GET /api/session": json(session({ model: { name: "claude-sonnet", rehearsal: false } })) });
  open("/system");
  expect(await screen.findByText("claude-sonnet")).toBeVisible();
  expect(screen.queryByText("演练模型")).toBeNull();
});

test("what is broken says so, with its number, and can be tried again", async () => {
  all({ "GET /api/system": problem(500, { code: "internal", detail: "something went wrong", id: "01JDZ0000000000000000000E1" }) });
  open("/system");
  expect(await screen.findByRole("alert")).toHaveTextContent("01JDZ0000000000000000000E1");
  all();
  await userEvent.click(screen.getByRole("button", { name: "再试一次" }));
  expect(await screen.findByRole("row", { name: /timeline/ })).toBeVisible();
  expect(screen.queryByRole("alert")).toBeNull();
});
