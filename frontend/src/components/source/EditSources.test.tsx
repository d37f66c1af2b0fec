import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import { expect, test } from "vitest";

import { gene, scores } from "../../test/factories/gene";
import { agentView, limits, searchables, session, timeline } from "../../test/factories/wire";
import { open } from "../../test/page";
import { json, problem, serve } from "../../test/server";

const view = agentView();
const id = view.agent;
const at = `/api/agents/${id}`;
const slow = { timeout: 5_000 };

const server = (more: Record<string, Response | (() => Response)> = {}) =>
  serve({
    "GET /api/session": json(session()),
    [`GET ${at}`]: json(view),
    [`GET ${at}/timeline`]: json(timeline()),
    [`GET ${at}/gene`]: json(gene()),
    [`GET ${at}/gene/versions`]: json({ versions: [], people: {} }),
    [`GET ${at}/performance`]: json(scores()),
    [`GET ${at}/cards?state=pending`]: json({ cards: [], people: {} }),
    ...more,
  });

const section = async () => within(await screen.findByRole("region", { name: /^来源/ }, slow));
const dialog = async () => within(await screen.findByRole("dialog", { name: "到哪里找" }, slow));

test("the gene page says of each source whether it is used, what it does, and what it costs or needs", async () => {
  server({ "GET /api/session": json(session({ limits: limits({ competitor_searches: 4, hot_minutes: 45 }) })) });
  const { container } = open(`/a/${id}/gene`);
  const rows = (await section()).getAllByRole("listitem");
  expect(rows).toHaveLength(3);
  const [fast, competitor, hot] = rows.map((row) => row.textContent);
  expect(fast).toMatch(/快搜在用.*素材库里搜，也在TikTok和抖音里搜.*素材库没有费用，TikTok和抖音按请求计费/);
  expect(competitor).toMatch(/竞品没有用.*最多要 4 回，每回最多等 8 分钟.*每回 ¥1\.50/);
  expect(hot).toMatch(/爆款没有接上.*最多等 45 分钟.*需要管理员先把它接上/);
  expect(within(rows[1] ?? document.body).getByRole("link", { name: "用它找一次：竞品" })).toHaveAttribute("href", `/a/${id}/materials?find=competitor`);
  expect(within(rows[2] ?? document.body).queryByRole("link")).toBeNull();
  const { violations } = await axe.run(container, { rules: { "color-contrast": { enabled: false } } });
  expect(violations.map((v) => v.id)).toEqual([]);
});

test("choosing sources sends them once, and the page shows what the server has then", async () => {
  let tries = 0;
  const asked = server({
    [`PATCH ${at}`]: () => (++tries === 1 ? problem(409, { code: "conflict", reason: "agent_archived", detail: "archived" }) : json({ seq: 90 })),
    [`GET ${at}?min_seq=90`]: json({ ...view, sources: ["fast", "competitor"] }),
  });
  const { router } = open(`/a/${id}/gene`);
  await userEvent.click((await section()).getByRole("link", { name: "修改来源" }));
  const form = await dialog();
  expect(form.getByRole("checkbox", { name: "快搜" })).toBeChecked();
  expect(form.getByRole("checkbox", { name: "爆款" })).toBeDisabled();
  expect(form.getByRole("checkbox", { name: "爆款" })).toHaveAccessibleDescription(/需要管理员先把它接上/);
  expect(form.getByRole("button", { name: "保存" })).toHaveAttribute("aria-disabled", "true");
  await userEvent.click(form.getByRole("checkbox", { name: "竞品" }));
  await userEvent.click(form.getByRole("button", { name: "保存" }));
  expect(await form.findByRole("alert")).toHaveTextContent("这个 Agent 已归档");
  expect(form.getByRole("checkbox", { name: "竞品" })).toBeChecked();
  await userEvent.click(form.getByRole("button", { name: "保存" }));
  await waitFor(() => { expect(router.state.location.search).toEqual({}); });
  await waitFor(async () => { expect((await section()).getAllByText("在用")).toHaveLength(2); });
  const sent = asked.filter((r) => r.method === "PATCH");
  expect(await sent[1]?.json()).toEqual({ sources: ["fast", "competitor"] });
  expect(new Set(sent.map((r) => r.headers.get("Idempotency-Key"))).size).toBe(1);
});

test("no source at all, or none where anything can be found, is refused before the server is asked", async () => {
  const asked = server({
    [`GET ${at}`]: json({ ...view, sources: ["fast", "hot", "vault"] }),
    [`PATCH ${at}`]: json({ seq: 91 }),
  });
  open(`/a/${id}/gene?sources=true`);
  const form = await dialog();
  const press = (name: string) => userEvent.click(form.getByRole("checkbox", { name }));
  // What nobody here knows is shown, and can only be left.
  expect(form.getByRole("checkbox", { name: "vault" })).toHaveAccessibleDescription(/不认识这个来源/);
  await press("快搜");
  await userEvent.click(form.getByRole("button", { name: "保存" }));
  expect(form.getByRole("alert")).toHaveTextContent("选中的来源都没有接上");
  await press("爆款");
  await press("vault");
  expect(form.queryByRole("alert")).toBeNull();
  await userEvent.click(form.getByRole("button", { name: "保存" }));
  expect(form.getByRole("alert")).toHaveTextContent("至少选一个来源");
  expect(asked.some((r) => r.method === "PATCH")).toBe(false);
});

test("an agent that names no source uses all that are configured", async () => {
  server({ [`GET ${at}`]: json({ ...view, sources: [] }) });
  open(`/a/${id}/gene`);
  expect((await section()).getAllByText("在用")).toHaveLength(2);
});

test("a viewer sees the sources, but no way to change or to search them", async () => {
  const guest = session({ user: { id: "01JDZ0000000000000000000A9", name: "周", admin: false }, sources: searchables().slice(0, 1) });
  server({ "GET /api/session": json(guest), [`GET ${at}`]: json({ ...view, role: "viewer" }) });
  open(`/a/${id}/gene?sources=true`);
  const sources = await section();
  expect(sources.getAllByRole("listitem")).toHaveLength(1);
  expect(sources.queryByRole("link")).toBeNull();
  expect(screen.queryByRole("dialog")).toBeNull();
});
