import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";

import { card, gene, scores, search, steer, wireVersion } from "../../test/factories/gene";
import { agent, agentView, session, timeline } from "../../test/factories/wire";
import { open } from "../../test/page";
import { json, problem, serve } from "../../test/server";

vi.mock("../../components/room/RoomDrawer", () => ({ RoomDrawer: () => null }));

const id = agent().agent;
const at = `/api/agents/${id}`;
const people = gene().people;
// The first page of a run is loaded with all it needs.
const slow = { timeout: 5_000 };
const old = "中世纪攻城\n优先集体混战、高空视角";

const server = (more: Record<string, Response | (() => Response)> = {}) =>
  serve({
    "GET /api/session": json(session()),
    "GET /api/agents?product=demo": json({ agents: [agent()] }),
    [`GET ${at}`]: json(agentView()),
    [`GET ${at}/timeline`]: json(timeline()),
    [`GET ${at}/gene`]: json(gene()),
    [`GET ${at}/gene?version=4`]: json(gene({ version: 4, search: { text: old, lines: gene().search.lines.slice(0, 2) } })),
    [`GET ${at}/gene?version=5`]: json(gene()),
    [`GET ${at}/gene/versions`]: json({
      versions: [
        wireVersion(),
        wireVersion({ version: 4, origin: "edit", summary: "留住修复镜头", search: old, card: undefined, proposed_by: undefined, by: "user:01JDZ0000000000000000000A2" }),
        wireVersion({ version: 3, origin: "rollback", rolled_back_to: 1, summary: "", search: old, card: undefined, proposed_by: undefined }),
        wireVersion({ version: 2, origin: "edit", summary: "", search: "x", card: undefined, proposed_by: undefined }),
        wireVersion({ version: 1, origin: "created", summary: "", search: old, card: undefined, proposed_by: undefined }),
      ],
      people,
    }),
    [`GET ${at}/performance`]: json(scores()),
    [`GET ${at}/cards?state=pending`]: json({ cards: [], people: {} }),
    ...more,
  });

const posted = (asked: Request[], path: string) => asked.filter((r) => r.method === "POST" && r.url.endsWith(path));

test("every line has its author in the margin, since which version, and who let it in", async () => {
  server();
  open(`/a/${id}/gene`);
  const lines = within((await screen.findByText("远景爆炸", undefined, slow)).closest("ol") ?? document.body);
  await waitFor(() => { expect(lines.getByText("管家 · V5 · 林应用")).toBeVisible(); });
  expect(lines.getByText("林 · V3")).toBeVisible();
  expect(lines.getByText("周 · V5")).toBeVisible();
});

test("the timeline has who and what, and scores with n and a word; too small a sample says only that", async () => {
  server();
  open(`/a/${id}/gene`);
  const versions = within(await screen.findByRole("region", { name: "版本" }, slow));
  const entries = await versions.findAllByRole("listitem");
  const text = (i: number) => entries[i]?.textContent ?? "";
  await waitFor(() => { expect(text(0)).toContain("和 V4 分不出高下"); });
  expect(text(0)).toMatch(/V5当前.*开头更快管家提议，林应用24% · 9 \/ 38/);
  expect(text(1)).toMatch(/周编辑21% · 80 \/ 389基准/);
  expect(text(2)).toMatch(/回到 V1 的内容林回滚到 V110% · 31 \/ 296比 V4 差/);
  expect(text(3)).toMatch(/1 \/ 12 · 样本还不够（要 30）/);
  expect(text(4)).toContain("还没有数据");
  expect(versions.getByText("0–40% · 95% 区间")).toBeVisible();
  expect(versions.getAllByRole("img")).toHaveLength(3);
  expect(within(entries[0] ?? document.body).getByRole("link", { name: "来自这张卡" })).toHaveAttribute("href", `/a/${id}/gene?card=01JDZ0000000000000000000C0`);
});

test("two versions are compared word by word; the choice is in the address", async () => {
  server();
  const { router } = open(`/a/${id}/gene?from=4&to=5`);
  expect(await screen.findByText("远景爆炸", { selector: "ins" }, slow)).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "对调" }));
  expect(await screen.findByText("远景爆炸", { selector: "del" }, slow)).toBeVisible();
  expect(router.state.location.search).toEqual({ from: 5, to: 4 });
});

test("a rollback shows what would change before it happens", async () => {
  const asked = server({ [`POST ${at}/gene/rollback`]: json({ version: 6, seq: 50 }), [`GET ${at}/cards?state=pending`]: json({ cards: [card()], people: {} }) });
  const { router } = open(`/a/${id}/gene?rollback=4`);
  expect(await screen.findByText("远景爆炸", { selector: "del" }, slow)).toBeVisible();
  expect(await screen.findByText("有 1 张等待决定的卡会因此过期。")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "回滚，成为 V6" }));
  await waitFor(() => { expect(router.state.location.search).toEqual({}); });
  expect(await posted(asked, "/rollback")[0]?.json()).toEqual({ base_version: 5, to: 4 });
});

test("an edit sends what was changed and on which version", async () => {
  const asked = server({ [`POST ${at}/gene/edit`]: json({ version: 6, seq: 50 }) });
  const { router } = open(`/a/${id}/gene?edit=true`);
  const field = await screen.findByRole("textbox", { name: "创意规则" }, slow);
  expect(screen.getByRole("button", { name: "保存为 V6" })).toBeDisabled();
  await userEvent.type(field, "{Enter}雨夜");
  expect(screen.getByText("雨夜", { selector: "ins" })).toBeVisible();
  await userEvent.type(screen.getByLabelText("一句话说改了什么"), "加雨夜");
  await userEvent.click(screen.getByRole("button", { name: "保存为 V6" }));
  await waitFor(() => { expect(router.state.location.search).toEqual({}); });
  expect(await posted(asked, "/edit")[0]?.json()).toEqual({ base_version: 5, steer: `${steer}\n雨夜`, summary: "加雨夜" });
  expect(localStorage.getItem(`sozai.gene.draft.${id}`)).toBeNull();
});

test("an edit survives a reload, and a version that came meanwhile is taken in without losing a word", async () => {
  let version = 5;
  const asked = server({
    [`GET ${at}/gene`]: () => json(version === 5 ? gene() : gene({ version: 6, search: { text: `${search}\n雪地`, lines: [] } })),
    [`POST ${at}/gene/edit`]: () => {
      version = 6;
      return problem(409, { code: "conflict", reason: "base_moved", detail: "moved", details: { version: 6, base: 5 } });
    },
  });
  const { unmount } = open(`/a/${id}/gene?edit=true`);
  await userEvent.type(await screen.findByRole("textbox", { name: "创意规则" }, slow), "{Enter}雨夜");
  unmount();
  open(`/a/${id}/gene?edit=true`);
  expect(await screen.findByText(/这是你上次没写完的/)).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "保存为 V6" }));
  expect(await screen.findByText("你写的时候，V6 改了下面这些。你写的都还在。")).toBeVisible();
  expect(screen.getByText("雪地", { selector: "ins" })).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "接到 V6 上继续" }));
  expect(screen.getByRole("textbox", { name: "检索需求" })).toHaveValue(`${search}\n雪地`);
  expect(screen.getByRole("textbox", { name: "创意规则" })).toHaveValue(`${steer}\n雨夜`);
  await userEvent.click(screen.getByRole("button", { name: "保存为 V7" }));
  await waitFor(() => { expect(posted(asked, "/edit")).toHaveLength(2); });
  expect(await posted(asked, "/edit")[1]?.json()).toEqual({ base_version: 6, steer: `${steer}\n雨夜` });
});

test("an expired card is carried over as an edit", async () => {
  server({ [`GET ${at}/cards/C`]: json(card({ card: "C", base: wireVersion({ version: 4, search: old }), base_version: 4, search: `${old}\n近景爆炸`, constraints: undefined })) });
  open(`/a/${id}/gene?edit=true&card=C`);
  expect(await screen.findByRole("textbox", { name: "检索需求" }, slow)).toHaveValue(`${search}\n近景爆炸`);
  expect(screen.getByLabelText("一句话说改了什么")).toHaveValue("前三秒至少两刀，爆炸给近景");
  expect(screen.getByText(/保存之后算你的编辑/)).toBeVisible();
});

test("a viewer sees everything and changes nothing", async () => {
  server({ "GET /api/session": json(session({ user: { id: "01JDZ0000000000000000000A9", name: "客", admin: false } })), [`GET ${at}`]: json(agentView({ role: "viewer" })) });
  open(`/a/${id}/gene`);
  expect(await screen.findByText("远景爆炸", undefined, slow)).toBeVisible();
  await waitFor(() => { expect(screen.queryByRole("link", { name: "编辑" })).toBeNull(); });
  expect(screen.queryByRole("link", { name: "回滚" })).toBeNull();
});
