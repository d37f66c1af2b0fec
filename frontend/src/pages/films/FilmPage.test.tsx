import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import { beforeEach, expect, test, vi } from "vitest";

import { board, feedback, film, filmView } from "../../test/factories/library";
import { agent, agentView, session, timeline } from "../../test/factories/wire";
import { open } from "../../test/page";
import { json, serve } from "../../test/server";
import { fakeSight } from "../../test/sight";

vi.mock("../../components/room/RoomDrawer", () => ({ RoomDrawer: () => null }));

const id = agent().agent;
const at = `/api/agents/${id}`;
const f1 = film().film;
const pinned = feedback({ object: { type: "film", id: f1, from: 2.5, to: 4 }, verdict: undefined, words: "这里太暗" });

const all = (more: Record<string, Response | (() => Response)> = {}) =>
  serve({
    "GET /api/session": json(session()),
    "GET /api/agents?product=demo": json({ agents: [agent()] }),
    [`GET ${at}`]: json(agentView()),
    [`GET ${at}/timeline`]: json(timeline()),
    [`GET ${at}/films/${f1}`]: json(filmView()),
    [`GET ${at}/feedback?type=film&id=${f1}&limit=200`]: json({ items: [pinned], people: { [feedback().by]: "林" } }),
    ...more,
  });

beforeEach(() => {
  sessionStorage.clear();
  fakeSight();
  Element.prototype.scrollTo = () => undefined;
});

const video = () => document.querySelector("video") ?? expect.fail("no player");

test("the panel that plays stands out, and a press on a panel goes to where it begins", async () => {
  all();
  const { container } = open(`/a/${id}/films/${f1}`);
  const panels = within(await screen.findByRole("region", { name: "方案" }));
  const [first, , third] = panels.getAllByRole("button");
  expect(first).toHaveAttribute("aria-current", "true");
  await userEvent.click(third ?? document.body);
  expect(video().currentTime).toBe(4);
  expect(third).toHaveAttribute("aria-current", "true");
  expect(first).not.toHaveAttribute("aria-current");
  const { violations } = await axe.run(container, { rules: { "color-contrast": { enabled: false }, region: { enabled: false } } });
  expect(violations.map((v) => v.id)).toEqual([]);
});

test("a comment is pinned to a stretch by keyboard, and pressing a pinned one goes there", async () => {
  const asked = all({ [`POST ${at}/feedback`]: json({ feedback: "F9", seq: 77 }), [`GET ${at}/feedback?type=film&id=${f1}&limit=200&min_seq=77`]: json({ items: [pinned], people: {} }), [`GET ${at}/films/${f1}?min_seq=77`]: json(filmView()) });
  open(`/a/${id}/films/${f1}`);
  await userEvent.click(await screen.findByRole("button", { name: "林在 2.5–4 秒说：这里太暗" }));
  expect(video().currentTime).toBe(2.5);
  const form = within(screen.getByRole("form", { name: "评论这支成片" }));
  await userEvent.click(form.getByRole("button", { name: "从此刻起" }));
  expect(form.getByLabelText("从")).toHaveValue(2.5);
  await userEvent.clear(form.getByLabelText("到"));
  fireEvent.change(form.getByLabelText("从"), { target: { value: "6" } });
  fireEvent.change(form.getByLabelText("到"), { target: { value: "7.5" } });
  await userEvent.click(form.getByRole("button", { name: "踩" }));
  await userEvent.type(form.getByLabelText("对这一段说一句"), "转场太硬{Enter}");
  await waitFor(() => { expect(asked.some((r) => r.method === "POST")).toBe(true); });
  expect(await asked.find((r) => r.method === "POST")?.json()).toEqual({ object: { type: "film", id: f1, from: 6, to: 7.5 }, verdict: "dislike", words: "转场太硬" });
  expect(await form.findByLabelText("对整支成片说一句")).toHaveValue("");
});

test("a stretch is drawn on the bar by a pointer", async () => {
  all();
  open(`/a/${id}/films/${f1}`);
  const bar = await screen.findByTestId("range-bar");
  vi.spyOn(bar, "getBoundingClientRect").mockReturnValue({ left: 0, width: 100 } as DOMRect);
  // jsdom's pointers have no place.
  const point = (type: string, clientX: number) => fireEvent(bar, new MouseEvent(`pointer${type}`, { bubbles: true, clientX }));
  point("down", 80);
  point("move", 30);
  point("up", 30);
  expect(screen.getByLabelText("从")).toHaveValue(3);
  expect(screen.getByLabelText("到")).toHaveValue(8);
  point("down", 50);
  point("up", 50);
  expect(screen.getByLabelText("从")).toHaveValue(null);
  expect(video().currentTime).toBe(5);
});

test("a download is told to the server once, whatever follows", async () => {
  const beacons: Blob[] = [];
  Object.assign(navigator, { sendBeacon: (_: string, body: Blob) => beacons.push(body) > 0 });
  all();
  open(`/a/${id}/films/${f1}`);
  const link = await screen.findByRole("link", { name: "下载成片" });
  expect(link).toHaveAttribute("href", `/api/media/${"cd".repeat(32)}?download=true`);
  link.addEventListener("click", (e) => { e.preventDefault(); });
  await userEvent.click(link);
  await userEvent.click(link);
  expect(beacons).toHaveLength(1);
  const reader = new FileReader(); // jsdom's blobs have no text()
  reader.readAsText(beacons[0] ?? new Blob());
  await waitFor(() => { expect(reader.readyState).toBe(2); });
  const text = reader.result as string;
  expect(JSON.parse(text)).toMatchObject({ observations: [{ type: "delivery_downloaded", object: { type: "film", id: f1 } }] });
});

test("the versions of the line are listed, this one marked; an edited board warns", async () => {
  all({ [`GET ${at}/films/${f1}`]: json(filmView({ made_from: board({ edited_by: "user:x", edited_at: "2026-11-30T11:00:00Z" }) })) });
  open(`/a/${id}/films/${f1}`);
  const versions = within(await screen.findByRole("region", { name: /各个版本/ }));
  const [newer, mine] = versions.getAllByRole("link");
  expect(newer).toHaveAttribute("href", `/a/${id}/films/01JDZ0000000000000000000L2`);
  expect(mine).toHaveAttribute("aria-current", "page");
  expect(screen.getByText("方案在成片之后改过，对照时可能不完全一致。")).toBeVisible();
});

test("the list stacks the versions of one line", async () => {
  const newest = film({ film: "F2", seq: 90, board: "B2" });
  all({
    [`GET ${at}/films?limit=48`]: json({ films: [newest, film()], boards: { B2: { title: "石桥 二", base: film().board }, [film().board]: { title: "石桥" } }, more: false }),
    [`GET ${at}/runs?state=requested&state=running&state=stopping&state=worker_lost&work=film&limit=20`]: json({ runs: [], people: {} }),
  });
  open(`/a/${id}/films`);
  const tiles = await screen.findAllByRole("article");
  expect(tiles).toHaveLength(1);
  expect(within(tiles[0] ?? document.body).getByRole("link", { name: "石桥 二" })).toHaveAttribute("href", `/a/${id}/films/F2`);
  expect(screen.getByText("共 2 版")).toBeVisible();
});
