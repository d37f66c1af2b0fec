import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";

import { wireVersion } from "../../test/factories/gene";
import { card, chat, id as idOf, lin, runEnd, text, turn, zhou } from "../../test/factories/room";
import { agent, agentView, session, timeline } from "../../test/factories/wire";
import { open } from "../../test/page";
import { json, problem, serve } from "../../test/server";
import { pastSearch } from "./search";

vi.mock("../../components/room/RoomDrawer", () => ({ RoomDrawer: () => null }));

const id = agent().agent;
const at = `/api/agents/${id}`;
const people = { [lin]: "林", [zhou]: "周" };
const slow = { timeout: 5_000 };

const server = (more: Record<string, Response | (() => Response)> = {}) =>
  serve({
    "GET /api/session": json(session()),
    "GET /api/agents?product=demo": json({ agents: [agent()] }),
    [`GET ${at}`]: json(agentView()),
    [`GET ${at}/timeline?limit=60`]: json(timeline()),
    [`GET ${at}/gene/versions`]: json({ versions: [wireVersion()], people }),
    ...more,
  });

test("the room as it was: a banner, its rows, cards without buttons, the rest on demand", async () => {
  const t = idOf(4, "T");
  const rows = [chat(3, "节奏太慢"), turn(5, t, [text("我提议改一下"), { type: "card", ref: "C1" }], { cards: [card("C1", "pending")] }), runEnd(6)];
  const asked = server({
    [`GET ${at}/timeline?limit=60&as_of=V5`]: json({ rows, people, more: true, as_of: 900 }),
    [`GET ${at}/timeline?limit=60&as_of=V5&before=3`]: json({ rows: [chat(1, "最早的话")], people, more: false, as_of: 900 }),
  });
  open(`/a/${id}/past?at=V5`);
  expect(await screen.findByRole("heading", { name: "这是 V5 时的房间" }, slow)).toBeVisible();
  expect(await screen.findByText("节奏太慢")).toBeVisible();
  expect(screen.getByText("当时在等决定")).toBeVisible();
  expect(screen.queryByRole("button", { name: "应用" })).toBeNull();
  expect(screen.queryByRole("textbox")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "更早的内容" }));
  expect(await screen.findByText("最早的话")).toBeVisible();
  expect(screen.queryByRole("button", { name: "更早的内容" })).toBeNull();
  // Nobody asks how the card stands now, and no message goes anywhere.
  expect(asked.some((r) => r.url.includes("/cards/") || r.method !== "GET")).toBe(false);
  expect(screen.getByRole("link", { name: "回到现在" })).toHaveAttribute("href", `/a/${id}/gene`);
});

test("a moment that never was says so", async () => {
  server({ [`GET ${at}/timeline?limit=60&as_of=V9`]: problem(404, { code: "not_found", reason: "version_unknown", detail: "no" }) });
  open(`/a/${id}/past?at=V9`);
  await waitFor(() => { expect(screen.getByRole("alert")).toHaveTextContent("没有这个版本"); }, slow);
});

test("the address names the moment", () => {
  expect(pastSearch({ at: "V5" })).toEqual({ at: "V5" });
  expect(pastSearch({ at: 12 })).toEqual({ at: "12" });
  expect(pastSearch({ at: "" })).toEqual({});
  expect(pastSearch({ at: {} })).toEqual({});
});
