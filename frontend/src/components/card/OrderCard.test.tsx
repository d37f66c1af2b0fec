import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";

import { order } from "../../test/factories/gene";
import { piece } from "../../test/piece";
import { json, problem, serve } from "../../test/server";
import { OrderCard } from "./OrderCard";

const at = "/api/agents/A";
const id = order().order;
const title = { [`GET ${at}/materials/01JDZ0000000000000000000M1`]: json({ title: "石桥逐拱炸开" }) };
const commands = (asked: Request[]) => asked.filter((r) => r.method === "POST");

test("an order says its whole request", async () => {
  serve(title);
  await piece(<OrderCard agent="A" order={order()} />);
  for (const text of ["再找一批近景爆炸", "现有素材镜头太远", "快搜", "12 条", "约 ¥1.50"]) expect(screen.getByText(text)).toBeVisible();
  expect(await screen.findByText("石桥逐拱炸开")).toBeVisible();
});

test("confirming is done when the log says so, and leads to the task", async () => {
  const closed = { state: "confirmed", run: "01JDZ0000000000000000000R1", closed_by: "user:U1", closed_at: "2026-11-30T10:50:00Z" };
  const asked = serve({ ...title, [`POST ${at}/orders/${id}/confirm`]: json({ run: closed.run, seq: 70 }), [`GET ${at}/orders/${id}?min_seq=70`]: json(order(closed)) });
  await piece(<OrderCard agent="A" order={order()} people={{ U1: "林" }} />);
  await userEvent.click(screen.getByRole("button", { name: "确认下单" }));
  expect(await screen.findByText(/林确认了这一单。/)).toBeVisible();
  expect(screen.getByRole("link", { name: "看任务" })).toHaveAttribute("href", "/a/A/tasks?run=01JDZ0000000000000000000R1");
  expect(screen.queryByRole("button")).toBeNull();
  expect(commands(asked)).toHaveLength(1);
});

test("declining sends the reason", async () => {
  const asked = serve({ ...title, [`POST ${at}/orders/${id}/decline`]: json({ seq: 71 }) });
  await piece(<OrderCard agent="A" order={order()} />);
  await userEvent.click(screen.getByRole("button", { name: "不下单" }));
  await userEvent.type(screen.getByRole("textbox"), "先看完这批");
  await userEvent.click(screen.getByRole("button", { name: "不下单" }));
  await waitFor(() => { expect(commands(asked)).toHaveLength(1); });
  expect(await commands(asked)[0]?.json()).toEqual({ reason: "先看完这批" });
});

test("whoever comes second reads who was first", async () => {
  serve({
    ...title,
    [`POST ${at}/orders/${id}/confirm`]: problem(409, { code: "conflict", reason: "order_closed", detail: "closed", details: { state: "declined", by: "user:U2", by_name: "周", at: "2026-11-30T10:49:00Z" } }),
    [`GET ${at}/orders/${id}`]: json(order({ state: "declined", closed_by: "user:U2", why: "太贵" })),
  });
  await piece(<OrderCard agent="A" order={order()} people={{ U2: "周" }} />);
  await userEvent.click(screen.getByRole("button", { name: "确认下单" }));
  expect(await screen.findByRole("alert")).toHaveTextContent(/慢了一步：周先谢绝了它。/);
  expect(await screen.findByText(/周谢绝了这一单。/)).toBeVisible();
  expect(screen.getByText("原因：太贵")).toBeVisible();
});

test("a limit says when to come back, and the order still waits", async () => {
  serve({ ...title, [`POST ${at}/orders/${id}/confirm`]: problem(429, { code: "too_many", detail: "too fast" }, { "Retry-After": "40" }) });
  await piece(<OrderCard agent="A" order={order()} />);
  await userEvent.click(screen.getByRole("button", { name: "确认下单" }));
  expect(await screen.findByRole("alert")).toHaveTextContent("40 秒");
  expect(screen.getByText("什么都没有开始，这一单还在等你决定。")).toBeVisible();
  expect(screen.getByRole("button", { name: "确认下单" })).toBeEnabled();
});
