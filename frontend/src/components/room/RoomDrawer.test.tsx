import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import { beforeEach, expect, test, vi } from "vitest";

import { chat, delta, entry, hello, id, page, runEnd, status, sync, text, turn, zhou } from "../../test/factories/room";
import { agent, layOut, openRoom } from "../../test/room";
import { json, serve } from "../../test/server";
import { RoomDrawer } from "./RoomDrawer";

beforeEach(() => {
  sessionStorage.clear();
  layOut();
});

const room = <RoomDrawer agent={agent} />;
const log = () => screen.getByRole("log");
const told = () => screen.getByTestId("room-status").textContent;

test("T1: an answer that is caught up twice is one bubble with the stored text", async () => {
  const t = id(3, "T");
  const newest = page([chat(1, "为什么慢", { body: { turn: t } })]);
  const start = [hello(2, status("answering", { turn: t, attempt: 1 })), sync(2), delta(t, 1, 0, "平均镜头")];
  const { world } = await openRoom(room, { newest, hello: start });
  await waitFor(() => { expect(log()).toHaveTextContent("平均镜头"); });
  world.last.say(...start);
  world.last.say(delta(t, 1, 0, "平均镜头 3.8 秒。"));
  await waitFor(() => { expect(log()).toHaveTextContent("平均镜头 3.8 秒。"); });
  expect(log().querySelectorAll(`[data-turn="${t}"]`).length).toBe(1);
  world.last.say(entry(turn(5, t, [text("平均镜头 3.8 秒。")])));
  await waitFor(() => { expect(log().querySelector("[aria-busy]")).toBeNull(); });
  expect(within(log()).getAllByText("平均镜头 3.8 秒。").length).toBe(1);
});

test("T21: the log is not read out a token at a time; the status line says the start and the end", async () => {
  const t = id(3, "T");
  const { world } = await openRoom(room, { newest: page([chat(1, "问", { body: { turn: t } })]), hello: [hello(1), sync(1)] });
  await waitFor(() => { expect(log()).toHaveAttribute("aria-live", "off"); });
  expect(told()).toBe("");
  world.last.say({ type: "chat.status", seq: 2, status: status("answering", { turn: t, attempt: 1 }) });
  await waitFor(() => { expect(told()).toBe("管家开始回答。"); });
  world.last.say(delta(t, 1, 0, "一"), delta(t, 1, 3, "二"));
  await waitFor(() => { expect(log()).toHaveTextContent("一二"); });
  expect(told()).toBe("管家开始回答。");
  world.last.say(entry(turn(5, t, [text("一二")], { reason: "stopped" })));
  await waitFor(() => { expect(told()).toBe("回答已停止，写到的文字都留下了。"); });
  expect(log()).toHaveTextContent("已停止，写到这里的文字都留下了。");
});

test("rows say who, what they are, and what happened, in the log's order", async () => {
  const rows = [
    chat(1, "慢", { body: { turn: "x" } }),
    chat(2, "我也觉得", { actor: `user:${zhou}`, body: { turn: "x" } }),
    runEnd(3),
    runEnd(4, { body: { work: "search", trigger: "hand", gene_version: 5, outcome: "failed", reason: "worker_lost", cost_yuan: 0 } }),
  ];
  await openRoom(room, { newest: page(rows), hello: [hello(5), sync(5)] });
  await waitFor(() => { expect(within(log()).getAllByRole("article").length).toBe(4); });
  expect(within(log()).getAllByRole("article").map((a) => a.textContent.replace(/\d\d:\d\d/, "@"))).toEqual(["@林我慢", "@周成员我也觉得", "找片完成：7 条创意源V5查看", "找片没有完成：处理进程三次中断V5看任务"]);
  expect(screen.getByText("· 演练模型")).toBeInTheDocument();
});

test("the butler's words are never a page of their own: no HTML, no pictures, links that leave alone", async () => {
  const evil = '<img src=x onerror="alert(1)"> <script>alert(2)</script> [好](javascript:alert(3)) [去](https://example.org) ![图](https://example.org/t.png)';
  await openRoom(room, { newest: page([turn(2, id(2, "T"), [text(evil)])]), hello: [hello(2), sync(2)] });
  const link = await screen.findByRole("link", { name: "去" });
  expect([link.getAttribute("target"), link.getAttribute("rel")]).toEqual(["_blank", "noopener noreferrer nofollow"]);
  expect(log().querySelector("img, script")).toBeNull();
  expect(log().querySelector('a[href^="javascript"]')).toBeNull();
});

test("what went wrong in a tool is told at once, the rest is one line that opens", async () => {
  const tool = (call: string, outcome: string) => ({ type: "tool" as const, call, tool: "view_object", object: "城墙 · the wall", outcome, seconds: 0.4 });
  const calls = ["a", "b", "c"].map((call) => ({ id: call, tool: "view_object", input: `{"id":"${call}"}`, output: call === "c" ? "there is no such material" : `digest of ${call}`, outcome: "ok", seconds: 0.4 }));
  serve({ [`GET /api/agents/${agent}/turns/${id(2, "T")}`]: json({ turn: id(2, "T"), steps: [{ why: "先看看", calls }] }) });
  await openRoom(room, { newest: page([turn(2, id(2, "T"), [tool("a", "ok"), tool("b", "ok"), tool("c", "error")])]), hello: [hello(2), sync(2)] });
  const lines = await within(await screen.findByRole("log")).findAllByRole("button");
  expect(lines.map((l) => l.textContent)).toEqual(["看了2 次完成0.8 秒", "看了城墙失败0.4 秒"]);
  expect(await screen.findByText("there is no such material")).toBeVisible();
  expect(screen.queryByText("digest of b")).toBeNull();
  if (lines[0]) await userEvent.click(lines[0]);
  expect(await screen.findByText("digest of b")).toBeVisible();
});

test("an empty room says what to do; a room of two thousand rows draws only its end", async () => {
  const empty = await openRoom(room, { hello: [hello(0), sync(0)] });
  expect(await screen.findByText("还没有人说话")).toBeInTheDocument();
  empty.unmount();
  const rows = Array.from({ length: 2000 }, (_, i) => chat(i + 1, `第 ${i + 1} 句`, { body: { turn: "x" } }));
  await openRoom(room, { newest: page(rows, true), hello: [hello(2000), sync(2000)] });
  await waitFor(() => { expect(log().querySelectorAll("[data-key]").length).toBeGreaterThan(5); });
  expect(log().querySelectorAll("[data-key]").length).toBeLessThan(60);
});

test("rows that come faster than the log follows do not leave it behind; who scrolls back stays there", async () => {
  const rows = Array.from({ length: 40 }, (_, i) => chat(i + 1, `第 ${i + 1} 句`, { body: { turn: "x" } }));
  const { world } = await openRoom(room, { newest: page(rows), hello: [hello(40), sync(40)] });
  const atEnd = () => { expect(log().scrollTop + log().clientHeight).toBeGreaterThanOrEqual(log().scrollHeight - 80); };
  await waitFor(() => { expect(log().scrollTop).toBeGreaterThan(0); });
  let next = 40;
  const burst = () => {
    act(() => { world.last.say(...Array.from({ length: 12 }, () => entry(chat(++next, `第 ${next} 句`, { body: { turn: "x" } })))); });
    fireEvent.scroll(log());
  };
  // A busy browser tells of a scroll before it has carried out what the log asked for.
  const busy = vi.spyOn(Element.prototype, "scrollTo").mockImplementation(() => undefined);
  for (let i = 0; i < 3; i++) burst();
  busy.mockRestore();
  burst();
  await waitFor(atEnd);
  expect(screen.queryByRole("button", { name: /条新内容|回到最新/ })).toBeNull();

  log().scrollTop -= 900;
  fireEvent.scroll(log());
  const there = log().scrollTop;
  burst();
  expect(await screen.findByRole("button", { name: "12 条新内容" })).toBeVisible();
  expect(log().scrollTop).toBe(there);
});

test("axe finds nothing", async () => {
  const t = id(9, "T");
  const newest = page([chat(1, "问", { body: { turn: t } }), turn(2, id(2, "T"), [text("答"), { type: "tool", call: "a", tool: "read_gene", outcome: "ok", seconds: 1 }]), runEnd(3)]);
  const { container } = await openRoom(room, { newest, hello: [hello(5, status("answering", { turn: t, attempt: 1 })), sync(5), entry(chat(6, "等着"))] });
  await screen.findByRole("button", { name: "停止回答" });
  const { violations } = await axe.run(container, { rules: { region: { enabled: false }, "color-contrast": { enabled: false } } });
  expect(violations.map((v) => [v.id, v.nodes.map((n) => n.html)])).toEqual([]);
});
