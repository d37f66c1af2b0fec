import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import { beforeEach, expect, test, vi } from "vitest";

import { board, boardView, feedback, run } from "../../test/factories/library";
import { gene } from "../../test/factories/gene";
import { agent, agentView, session, timeline } from "../../test/factories/wire";
import { open } from "../../test/page";
import { json, problem, serve } from "../../test/server";
import { fakeSight } from "../../test/sight";

vi.mock("../../components/room/RoomDrawer", () => ({ RoomDrawer: () => null }));

const id = agent().agent;
const at = `/api/agents/${id}`;
const b1 = board().board;
const open1 = (work: string) => `GET ${at}/runs?state=requested&state=running&state=stopping&state=worker_lost&work=${work}&limit=20`;
const onPanel = (n: number, more: object = {}) => feedback({ feedback: `01JDZ000000000000000000F${n}0`, object: { type: "board", id: b1, panel: n }, ...more });

const all = (more: Record<string, Response | (() => Response)> = {}) =>
  serve({
    "GET /api/session": json(session()),
    "GET /api/agents?product=demo": json({ agents: [agent()] }),
    [`GET ${at}`]: json(agentView()),
    [`GET ${at}/timeline`]: json(timeline()),
    [`GET ${at}/gene`]: json(gene({ constraints: { max_film_seconds: 15, aspect: "9:16" } })),
    [`GET ${at}/boards/${b1}`]: json(boardView()),
    [`GET ${at}/feedback?type=board&id=${b1}&limit=200`]: json({ items: [onPanel(5, { words: "结尾别动" })], people: { [feedback().by]: "林" } }),
    [open1("board")]: json({ runs: [], people: {} }),
    [open1("film")]: json({ runs: [], people: {} }),
    ...more,
  });

beforeEach(() => { fakeSight(); });

const panelOf = async (n: number) => within(await screen.findByRole("article", { name: `第 ${n} 格` }));

test("each panel shows its caption, its seconds and which stretch of which material it takes", async () => {
  all();
  const { container } = open(`/a/${id}/boards/${b1}`);
  expect(await screen.findByRole("heading", { name: "石桥逐拱炸开" })).toBeVisible();
  expect(screen.getByText("10 秒 / 最长 15 秒")).toBeVisible();
  const fifth = await panelOf(5);
  expect(fifth.getByText("第 5 句字幕")).toBeVisible();
  expect(fifth.getByText("5–7 秒")).toBeVisible();
  expect(fifth.getByRole("link", { name: /抖音 · 整座石桥/ })).toHaveAttribute("href", `/a/${id}/materials?m=01JDZ0000000000000000000M1`);
  expect(fifth.getByRole("button", { name: "播放第 5 格" })).toBeVisible();
  expect(screen.getByRole("link", { name: /石桥逐拱炸开.*V5/ })).toHaveAttribute("href", `/a/${id}/films/01JDZ0000000000000000000L1`);
  const { violations } = await axe.run(container, { rules: { "color-contrast": { enabled: false }, region: { enabled: false } } });
  expect(violations.map((v) => v.id)).toEqual([]);
});

test("keeping a panel is feedback on that panel, and the new version says that it stays", async () => {
  let said: object[] = [onPanel(5, { verdict: undefined, words: "结尾别动" })];
  const asked = all({
    [`GET ${at}/feedback?type=board&id=${b1}&limit=200`]: () => json({ items: said, people: {} }),
    [`GET ${at}/feedback?type=board&id=${b1}&limit=200&min_seq=77`]: () => json({ items: said, people: {} }),
    [`POST ${at}/feedback`]: () => {
      said = [onPanel(2, { words: "保留第 2 格" }), ...said];
      return json({ feedback: "F9", seq: 77 });
    },
    [`POST ${at}/runs`]: json({ run: run().run, seq: 80 }),
  });
  open(`/a/${id}/boards/${b1}`);
  const second = await panelOf(2);
  await userEvent.click(second.getByRole("button", { name: "保留第 2 格", pressed: false }));
  expect(await second.findByRole("button", { name: "保留第 2 格", pressed: true })).toBeVisible();
  const post = asked.find((r) => r.method === "POST");
  expect(await post?.json()).toEqual({ object: { type: "board", id: b1, panel: 2 }, verdict: "like", words: "保留第 2 格" });

  await userEvent.click(screen.getByRole("button", { name: "出新版" }));
  const dialog = within(await screen.findByRole("dialog", { name: "出新版" }));
  expect(dialog.getByText(/会保留第 2.*5 格；/)).toBeVisible();
  expect(dialog.getByText(/一次最多花 ¥3/)).toBeVisible();
  await userEvent.type(dialog.getByLabelText("想怎么改"), "前两格再快一点");
  await userEvent.click(dialog.getByRole("button", { name: "开始写" }));
  await waitFor(() => { expect(screen.queryByRole("dialog")).toBeNull(); });
  const runs = asked.filter((r) => r.method === "POST" && r.url.endsWith("/runs"));
  expect(await runs[0]?.json()).toEqual({ work: "board", what: "前两格再快一点", board: b1 });
});

test("a person changes a caption, the seconds and the order, and can undo it all", async () => {
  let now = boardView();
  const bodies: { rev: number; panels: { number: number; caption: string; seconds: number; to: number }[] }[] = [];
  const asked = all({
    [`GET ${at}/boards/${b1}`]: () => json(now),
    [`GET ${at}/boards/${b1}?min_seq=90`]: () => json(now),
    [`PUT ${at}/boards/${b1}`]: () => {
      now = boardView({ rev: 90, panels: bodies.length === 0 ? [] : board().panels });
      return json({ seq: 90 });
    },
  });
  const put = async () => {
    const request = asked.findLast((r) => r.method === "PUT");
    return (await request?.clone().json()) as (typeof bodies)[number];
  };
  open(`/a/${id}/boards/${b1}`);
  await userEvent.click(await screen.findByRole("button", { name: "编辑" }));
  expect(screen.getByRole("button", { name: "保存" })).toHaveAttribute("aria-disabled", "true");
  await userEvent.clear(screen.getByLabelText("第 1 格的字幕"));
  await userEvent.type(screen.getByLabelText("第 1 格的字幕"), "先炸再说");
  await userEvent.clear(screen.getByLabelText("第 2 格的秒数"));
  await userEvent.type(screen.getByLabelText("第 2 格的秒数"), "1.5");
  await userEvent.click(screen.getByRole("button", { name: "第 5 格上移" }));
  await userEvent.click(screen.getByRole("button", { name: "保存" }));
  await screen.findByText("已保存你的改动。");
  const body = await put();
  bodies.push(body);
  expect(body.rev).toBe(60);
  expect(body.panels.map((p) => [p.number, p.caption])).toEqual([[1, "先炸再说"], [2, "第 2 句字幕"], [3, "第 3 句字幕"], [4, "第 5 句字幕"], [5, "第 4 句字幕"]]);
  expect(body.panels[1]).toMatchObject({ seconds: 1.5, to: 3.5 });
  await userEvent.click(screen.getByRole("button", { name: "撤销" }));
  await waitFor(() => { expect(screen.queryByText("已保存你的改动。")).toBeNull(); });
  const undone = await put();
  expect(undone.rev).toBe(90);
  expect(undone.panels).toEqual(board().panels);
});

test("too long a board is not saved, and says by how much", async () => {
  all();
  open(`/a/${id}/boards/${b1}`);
  await userEvent.click(await screen.findByRole("button", { name: "编辑" }));
  await userEvent.clear(screen.getByLabelText("第 1 格的秒数"));
  await userEvent.type(screen.getByLabelText("第 1 格的秒数"), "9");
  expect(screen.getByText("全长 17 秒，超过了创意基因里的 15 秒")).toBeVisible();
  expect(screen.getByText("素材只剩 6.6 秒")).toBeVisible();
  expect(screen.getByRole("button", { name: "保存" })).toHaveAttribute("aria-disabled", "true");
});

test("a like in between does not stand against an edit, another's edit does", async () => {
  let now = boardView({ rev: 61 });
  let first = true;
  const asked = all({
    [`GET ${at}/boards/${b1}`]: () => json(first ? boardView() : now),
    [`GET ${at}/boards/${b1}?min_seq=90`]: () => json(now),
    [`PUT ${at}/boards/${b1}`]: () => {
      const fresh = !first;
      first = false;
      return fresh ? json({ seq: 90 }) : problem(409, { code: "conflict", reason: "board_moved", detail: "moved" });
    },
  });
  const { unmount } = open(`/a/${id}/boards/${b1}`);
  const change = async () => {
    await userEvent.click(await screen.findByRole("button", { name: "编辑" }));
    await userEvent.type(screen.getByLabelText("第 1 格的字幕"), "！");
    await userEvent.click(screen.getByRole("button", { name: "保存" }));
  };
  await change();
  await screen.findByText("已保存你的改动。");
  const revs = await Promise.all(asked.filter((r) => r.method === "PUT").map(async (r) => ((await r.clone().json()) as { rev: number }).rev));
  expect(revs).toEqual([60, 61]);
  unmount();
  first = true;
  now = boardView({ rev: 62, title: "别人改的标题" });
  open(`/a/${id}/boards/${b1}`);
  await change();
  expect(await screen.findByRole("alert")).toHaveTextContent("有人先改了这份方案");
  expect(screen.getByLabelText("第 1 格的字幕")).toHaveValue("第 1 句字幕！");
});

test("the film is ordered by a press that says what it will be", async () => {
  const asked = all({ [`POST ${at}/runs`]: json({ run: run().run, seq: 80 }) });
  open(`/a/${id}/boards/${b1}`);
  await userEvent.click(await screen.findByRole("button", { name: "做成片" }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(dialog.getByText("5 格 · 全长 10 秒 · 9:16")).toBeVisible();
  await userEvent.click(dialog.getByRole("button", { name: "开始做" }));
  await waitFor(() => { expect(screen.queryByRole("dialog")).toBeNull(); });
  expect(await asked.find((r) => r.method === "POST")?.json()).toEqual({ work: "film", board: b1 });
});

test("a viewer reads, but is offered nothing that writes; a board that is not there says so", async () => {
  const viewer = { "GET /api/session": json(session({ user: { id: "x", name: "周", admin: false } })), [`GET ${at}`]: json(agentView({ role: "viewer" })) };
  all(viewer);
  const { unmount } = open(`/a/${id}/boards/${b1}`);
  const first = await panelOf(1);
  expect(first.queryByRole("button", { name: "赞" })).toBeNull();
  expect(screen.queryByRole("button", { name: "做成片" })).toBeNull();
  unmount();
  all({ [`GET ${at}/boards/${b1}`]: problem(404, { code: "not_found", detail: "none" }) });
  open(`/a/${id}/boards/${b1}`);
  expect(await screen.findByRole("alert")).toBeVisible();
  expect(screen.getByRole("link", { name: "全部方案" })).toHaveAttribute("href", `/a/${id}/boards`);
});
