import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import { beforeEach, expect, test, vi } from "vitest";

import { board, clips, run } from "../../test/factories/library";
import { agent, agentView, session, timeline } from "../../test/factories/wire";
import { open } from "../../test/page";
import { json, serve } from "../../test/server";
import { fakeSight } from "../../test/sight";

vi.mock("../../components/room/RoomDrawer", () => ({ RoomDrawer: () => null }));

const id = agent().agent;
const at = `/api/agents/${id}`;
const writing = `GET ${at}/runs?state=requested&state=running&state=stopping&state=worker_lost&work=board&limit=20`;
const counts = { materials: 41, new: 7, boards: 2, films: 0, assets: 0 };

const all = (more: Record<string, Response | (() => Response)> = {}) =>
  serve({
    "GET /api/session": json(session()),
    "GET /api/agents?product=demo": json({ agents: [agent()] }),
    [`GET ${at}`]: json(agentView({ counts })),
    [`GET ${at}/timeline`]: json(timeline()),
    [`GET ${at}/boards?limit=30`]: json({ boards: [board({ board: "B2", seq: 61, title: "另一份", base: board().board, films: 0 }), board()], materials: clips(), more: false }),
    [writing]: json({ runs: [], people: {} }),
    ...more,
  });

beforeEach(() => { fakeSight(); });

test("each board says how many panels, how long, and what came of it; new ones are marked once", async () => {
  all();
  const { container, unmount } = open(`/a/${id}/boards`);
  const [first, second] = await screen.findAllByRole("article");
  expect(within(first ?? document.body).getByRole("link", { name: "另一份" })).toHaveAttribute("href", `/a/${id}/boards/B2`);
  expect(within(first ?? document.body).getByText("改自另一份")).toBeVisible();
  expect(within(second ?? document.body).getByText("5 格")).toBeVisible();
  expect(within(second ?? document.body).getByText("10 秒")).toBeVisible();
  expect(within(second ?? document.body).getByText("1 支成片")).toBeVisible();
  expect(screen.getAllByText("新")).toHaveLength(2);
  // Seen: the tab's badge turns from new to how many there are.
  expect(await screen.findByRole("link", { name: "方案 共 2 条" })).toHaveAttribute("aria-current", "page");
  const { violations } = await axe.run(container, { rules: { "color-contrast": { enabled: false }, region: { enabled: false } } });
  expect(violations.map((v) => v.id)).toEqual([]);
  unmount();
  all();
  open(`/a/${id}/boards`);
  await screen.findAllByRole("article");
  expect(screen.queryByText("新")).toBeNull();
});

test("a board can be ordered in words; the same form sent again keeps its key, and the writing shows", async () => {
  let runs: object[] = [];
  const asked = all({
    [writing]: () => json({ runs, people: {} }),
    [`${writing}&min_seq=80`]: () => json({ runs, people: {} }),
    [`POST ${at}/runs`]: () => {
      runs = [run({ work: "board", progress: { done: 3, target: 8, unit: "panels" } })];
      return json({ run: run().run, seq: 80 });
    },
  });
  open(`/a/${id}/boards`);
  await userEvent.click(await screen.findByRole("button", { name: "写一份方案" }));
  const dialog = within(await screen.findByRole("dialog"));
  await userEvent.type(dialog.getByLabelText(/有什么要求/), "开头就炸");
  await userEvent.click(dialog.getByRole("button", { name: "开始写" }));
  expect(await screen.findByText("写了 3 / 8 格")).toBeVisible();
  expect(await asked.find((r) => r.method === "POST")?.json()).toEqual({ work: "board", what: "开头就炸" });
});

test("an empty shelf says what to do", async () => {
  all({ [`GET ${at}/boards?limit=30`]: json({ boards: [], materials: {}, more: false }) });
  open(`/a/${id}/boards`);
  expect(await screen.findByText("还没有方案")).toBeVisible();
  expect(screen.getByRole("link", { name: "去选创意源" })).toHaveAttribute("href", `/a/${id}/materials`);
});

test("g b and g f lead here and to the films", async () => {
  all({ [`GET ${at}/films?limit=48`]: json({ films: [], boards: {}, more: false }) });
  const { router } = open(`/a/${id}/boards`);
  await screen.findAllByRole("article");
  await userEvent.keyboard("gf");
  await waitFor(() => { expect(router.state.location.pathname).toBe(`/a/${id}/films`); });
  expect(await screen.findByText("还没有成片")).toBeVisible();
  await userEvent.keyboard("gb");
  await waitFor(() => { expect(router.state.location.pathname).toBe(`/a/${id}/boards`); });
});
