import { expect, test } from "vitest";

import type { Outgoing } from "../../live/outbox";
import type { Row } from "../../live/wire";
import { chat, id, lin, status, text, turn, zhou } from "../../test/factories/room";
import { partsOf } from "./blocks";
import { itemsOf, queueOf } from "./items";

const view = (rows: Row[], more: object = {}) => ({ rows, more: false, status: status("idle"), answer: null, outbox: [], ...more });
const keys = (rows: Row[], more: object = {}, fresh = 0) => itemsOf(view(rows, more), fresh, lin).map((i) => i.key);
const out = (state: Outgoing["state"]): Outgoing => ({ key: "K", text: "x", refs: [], at: "2026-11-30T10:00:00Z", state, message: "", error: null });

test("a streamed answer and its finished row are one line", () => {
  const answer = { turn: "t", attempt: 1, text: "a", bytes: 1, calls: [], notes: [], held: [], doing: "" };
  expect(keys([chat(1, "问")], { answer }).at(-1)).toBe("turn:t");
  expect(keys([chat(1, "问"), turn(3, "t", [text("a")])]).at(-1)).toBe("turn:t");
});

test("what waits for the next turn is above the box while the butler answers, else in the log", () => {
  const rows = [chat(1, "读过", { body: { turn: "t" } }), chat(2, "正在答"), chat(3, "等着"), chat(4, "撤了", { body: { taken_back: true } })];
  const answering = { status: status("answering", { turn: "t2", reads: [id(2)] }), outbox: [out("sending"), { ...out("failed"), key: "F" }] };
  expect(queueOf(rows, answering.outbox, answering.status).rows.map((r) => r.seq)).toEqual([3]);
  expect(keys(rows, answering).slice(2)).toEqual(["row:1", "row:2", "row:4", "key:F"]);
  expect(queueOf(rows, [], status("idle")).rows).toEqual([]);
  expect(keys(rows).slice(2)).toEqual(["row:1", "row:2", "row:3", "row:4"]);
});

test("days are marked where they begin, not where the first page happens to", () => {
  const rows = [chat(1, "一", { time: "2026-11-29T08:00:00Z" }), chat(2, "二", { time: "2026-11-30T08:00:00Z" })];
  expect(keys(rows, { more: true })).toEqual(["row:1", "day:2", "row:2"]);
  expect(keys(rows)).toEqual(["beginning", "day:1", "row:1", "day:2", "row:2"]);
});

test("the mark of what is new stands before the first row of somebody else, once the row before it is here", () => {
  const rows = [chat(1, "一"), chat(2, "我说的"), chat(3, "周说的", { actor: `user:${zhou}` })];
  expect(keys(rows, {}, 1).slice(2)).toEqual(["row:1", "row:2", "fresh", "row:3"]);
  expect(keys(rows.slice(1), { more: true }, 1)).toEqual(["row:2", "row:3"]);
});

test("calls of one tool share a line, errors stand alone, and what made a card leaves none", () => {
  const tool = (call: string, name: string, outcome = "ok") => ({ type: "tool" as const, call, tool: name, outcome });
  const parts = partsOf([
    text("先看看"),
    tool("1", "view_object"),
    tool("2", "view_object"),
    tool("3", "view_object", "error"),
    tool("4", "read_gene"),
    tool("5", "propose_gene_card", "error"),
    tool("6", "propose_gene_card"),
    { type: "card", ref: "k", call: "6" },
    text(" \n"),
    text("好了"),
  ]);
  expect(parts.map((p) => [p.kind, "calls" in p ? p.calls.map((c) => c.call).join() : "ref" in p ? p.ref : p.text])).toEqual([
    ["text", "先看看"],
    ["tools", "1,2"],
    ["failure", "3"],
    ["tools", "4"],
    ["failure", "5"],
    ["card", "k"],
    ["text", "好了"],
  ]);
});
