import { expect, test } from "vitest";

import { card, chat, delta, entry, hello, id, lin, page, runEnd, status, sync, text, turn, zhou } from "../test/factories/room";
import { emptyRoom, foldFrame, foldNewest, foldOlder, resumeFrom, type RoomState } from "./fold";
import type { Frame, Row } from "./wire";

const opened = (rows: Row[] = [], more = false) => foldNewest(emptyRoom, page(rows, more));
const after = (s: RoomState, ...frames: Frame[]) => frames.reduce(foldFrame, s);
const seqs = (s: RoomState) => s.rows.map((r) => r.seq);

test("T1: two catch-ups of one half-written answer make one text, equal to the stored one", () => {
  const whole = "平均镜头 3.8 秒，确实偏慢。";
  const t = id(9, "T");
  const half = delta(t, 1, 0, whole.slice(0, 6));
  let s = after(opened([chat(1, "慢")]), hello(2, status("answering", { turn: t, attempt: 1 })), sync(2), half, half);
  s = after(s, hello(2, status("answering", { turn: t, attempt: 1 })), sync(2), delta(t, 1, 0, whole), half);
  expect([s.answer?.turn, s.answer?.text]).toEqual([t, whole]);
  s = after(s, entry(turn(4, t, [text(whole)])));
  expect([s.answer, s.rows.filter((r) => r.type === "turn").length]).toEqual([null, 1]);
  expect(after(s, half, delta(t, 1, 30, "late"), delta(t, 2, 0, "late")).answer).toBeNull();
});

test("T3: what happened while away comes in order; the card that was applied elsewhere is closed; a reload is the same", () => {
  const before = [chat(1, "慢"), turn(5, id(5, "T"), [text("卡在这里"), { type: "card", ref: "k" }], { cards: [card("k")] })];
  const applied = { ...before[1], rev: 8, cards: [card("k", "applied", { version: 6 })] } as Row;
  const missed = [chat(7, "我应用了", { actor: `user:${zhou}` }), runEnd(9)];
  let s = after(opened(before), hello(5, status("waiting", { cards: 1 })), sync(5));
  expect(resumeFrom(s)).toBe(4);
  s = after(s, hello(9, status("idle")), sync(9, [...missed, applied]));
  expect(seqs(s)).toEqual([1, 5, 7, 9]);
  expect(s.rows[1]?.cards?.map((c) => [c.state, c.version])).toEqual([["applied", 6]]);
  expect(s.status?.cards).toBe(0);
  const reloaded = after(opened([...before.slice(0, 1), applied, ...missed]), hello(9), sync(9));
  expect([reloaded.rows, reloaded.seq, reloaded.status]).toEqual([s.rows, s.seq, s.status]);
});

test("T4: every view has the server's order, whatever the order of arrival and the clocks", () => {
  const rows = [chat(11, "一"), chat(12, "二", { actor: `user:${zhou}`, time: "2026-11-30T09:55:00Z" }), turn(15, id(15, "T"), [text("答")]), chat(13, "三")];
  const orders = [rows, [...rows].reverse(), [rows[2], rows[0], rows[3], rows[1]] as Row[]];
  const views = orders.map((order) => after(opened(), hello(10), sync(10), ...order.map(entry)));
  for (const view of views) {
    expect(seqs(view)).toEqual([11, 12, 13, 15]);
    expect(view.rows).toEqual(views[0]?.rows);
  }
});

test("T5: a stop in another tab shows here, the partial answer stays, and a late frame of it does nothing to the next turn", () => {
  const first = id(20, "T");
  const next = id(30, "T");
  let s = after(opened([chat(1, "问")]), hello(2, status("answering", { turn: first, attempt: 1 })), sync(2), delta(first, 1, 0, "写到一半"));
  s = after(s, { type: "chat.status", seq: 3, status: status("stopping", { turn: first, attempt: 1 }) });
  expect([s.status?.state, s.answer?.text]).toEqual(["stopping", "写到一半"]);
  s = after(s, entry(turn(4, first, [text("写到一半")], { reason: "stopped" })), { type: "chat.status", seq: 4, status: status("idle") });
  expect([s.rows.at(-1)?.type, s.news]).toEqual(["turn", { kind: "end", turn: first, reason: "stopped" }]);
  s = after(s, { type: "chat.status", seq: 6, status: status("answering", { turn: next, attempt: 1 }) }, delta(next, 1, 0, "新"), delta(first, 1, 12, "旧的尾巴"));
  expect([s.answer?.turn, s.answer?.text, s.status?.state]).toEqual([next, "新", "answering"]);
});

test("T21: one start and one end are told, whatever comes between", () => {
  const t = id(9, "T");
  const told: RoomState["news"][] = [];
  let s = after(opened(), hello(1), sync(1));
  const frames: Frame[] = [
    { type: "chat.doing", turn: t, attempt: 1, status: "thinking" },
    { type: "chat.status", seq: 2, status: status("answering", { turn: t, attempt: 1 }) },
    delta(t, 1, 0, "一"),
    delta(t, 1, 3, "二"),
    delta(t, 2, 0, "重来"),
    entry(turn(5, t, [text("重来")])),
    { type: "chat.status", seq: 6, status: status("idle") },
    entry({ ...turn(5, t, [text("重来")]), rev: 7 }),
  ];
  for (const f of frames) {
    s = foldFrame(s, f);
    if (s.news !== told.at(-1)) told.push(s.news);
  }
  expect(told).toEqual([{ kind: "start", turn: t, reason: "" }, { kind: "end", turn: t, reason: "finished" }]);
});

test("a row is replaced by a larger revision only", () => {
  let s = after(opened([chat(3, "原话")]), entry(chat(3, "撤回", { rev: 5, body: { taken_back: true } })));
  s = after(s, entry(chat(3, "旧", { rev: 4 })));
  expect(s.rows[0]?.type === "chat" && [s.rows[0].rev, s.rows[0].body.taken_back]).toEqual([5, true]);
});

test("frames that share a sequence are all taken, and the next hello asks for that sequence again", () => {
  const s = after(opened(), entry(chat(7, "a", { rev: 9 })), entry(chat(8, "b", { rev: 9 })));
  expect([seqs(s), s.seq, resumeFrom(s)]).toEqual([[7, 8], 9, 8]);
});

test("rows before the first page are left to the page that holds them", () => {
  let s = opened([chat(50, "五十"), chat(60, "六十")], true);
  s = after(s, entry(chat(10, "很早的一行", { rev: 61, body: { taken_back: true } })));
  expect(seqs(s)).toEqual([50, 60]);
  s = foldOlder(s, page([chat(10, "很早的一行", { rev: 61 }), chat(40, "四十")], false));
  expect([seqs(s), s.more]).toEqual([[10, 40, 50, 60], false]);
});

test("too much changed: the rows stay until the newest page is here, then live rows follow it", () => {
  let s = after(opened([chat(1, "旧")], false), hello(900), sync(900, [], { reset: true }));
  expect([seqs(s), s.stale?.size, s.seq]).toEqual([[1], 1, 900]);
  s = after(s, entry(chat(901, "刚到")));
  s = foldNewest(s, page([chat(890, "新"), chat(900, "新")], true));
  expect([seqs(s), s.stale, s.more, s.seq]).toEqual([[890, 900, 901], null, true, 901]);
});

test("a log that was restored to an earlier point is the truth", () => {
  const s = after(opened([chat(5000, "不再有")]), hello(40), sync(40, [], { reset: true }));
  expect(s.seq).toBe(40);
  const again = foldNewest(s, page([chat(40, "在")]));
  expect([seqs(again), again.seq]).toEqual([[40], 40]);
});

test("a card of the running answer is known by its frame, and its row is closed by the frame that resolves it", () => {
  const full = { ...card("k"), search: "新的检索需求", seq: 3, rev: 3 };
  let s = after(opened(), { type: "gene.card", seq: 3, card: full });
  expect(s.cards.k?.documents).toEqual(["search"]);
  s = after(s, entry(turn(5, id(5, "T"), [{ type: "card", ref: "k" }], { cards: [card("k")] })));
  s = after(s, { type: "gene.card.resolved", seq: 8, card: { ...full, state: "rejected", rev: 8 }, people: { [lin]: "林" } });
  expect([s.cards.k?.state, s.rows[0]?.cards?.[0]?.state, s.seq]).toEqual(["rejected", "rejected", 8]);
});

test("an older status does not undo a newer one, unless it is a hello's", () => {
  let s = after(opened(), { type: "chat.status", seq: 9, status: status("waiting") }, { type: "chat.status", seq: 8, status: status("idle") });
  expect(s.status?.state).toBe("waiting");
  s = after(s, hello(5, status("idle")));
  expect(s.status?.state).toBe("idle");
});
