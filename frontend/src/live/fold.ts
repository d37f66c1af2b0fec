import { addCall, addNote, addText, type Answer, answerFor } from "./answer";
import type { CardState, Frame, Frames, Model, Names, OrderState, Page, Person, Row, Status, You } from "./wire";

/** All that is known of a room. History, replay and live frames go through the functions below and nothing else. */
export type RoomState = {
  /** Everything up to here is in; -1 until the first page was read. */
  seq: number;
  /** Ascending by seq. */
  rows: Row[];
  /** There are older rows than the first. */
  more: boolean;
  names: Names;
  you: You | null;
  /** "viewer", "member", "creator", or "" for an administrator without a role. */
  role: string;
  model: Model | null;
  status: Status | null;
  statusSeq: number;
  answer: Answer | null;
  presence: Person[];
  /** Cards and orders as the log last said, by id: for the answer that is being written. */
  cards: Record<string, CardState>;
  orders: Record<string, OrderState>;
  /** Turns that are over, newest last; their late frames never show. */
  ended: string[];
  /** What was last to be told aloud: one start and one end a turn. */
  news: { kind: "start" | "end"; turn: string; reason: string } | null;
  /** The timeline must be read anew from its end; these rows were there when that was said, and show until then. */
  stale: ReadonlySet<Row> | null;
};

export const emptyRoom: RoomState = {
  seq: -1,
  rows: [],
  more: true,
  names: {},
  you: null,
  role: "",
  model: null,
  status: null,
  statusSeq: -1,
  answer: null,
  presence: [],
  cards: {},
  orders: {},
  ended: [],
  news: null,
  stale: null,
};

/** Takes in the newest page: at the start, or after the server said that too much changed. */
export function foldNewest(s: RoomState, page: Page): RoomState {
  const { stale } = s;
  const later = stale === null ? s.rows : s.rows.filter((r) => !stale.has(r));
  let next: RoomState = { ...s, rows: [], more: page.more, names: { ...s.names, ...page.people }, stale: null };
  next = foldRows(next, page.rows);
  next = foldRows(next, later);
  // Its row may lie before this page.
  const answer = stale !== null && next.answer?.turn !== s.status?.turn ? null : next.answer;
  return { ...next, answer, seq: page.rows.reduce((max, r) => Math.max(max, r.rev), Math.max(0, s.seq)) };
}

/** Takes in a page of rows before the first. */
export function foldOlder(s: RoomState, page: Page): RoomState {
  const next = foldRows({ ...s, more: true, names: { ...s.names, ...page.people } }, page.rows, true);
  return { ...next, more: page.more };
}

/** Takes in one frame of the socket. */
export function foldFrame(s: RoomState, f: Frame): RoomState {
  switch (f.type) {
    case "hello": {
      const next = { ...s, you: f.you, role: f.role, model: f.model, presence: f.people, names: { ...s.names, [f.you.id]: f.you.name } };
      // A hello is the present, also when the log was restored to an earlier point.
      return withStatus({ ...next, statusSeq: -1 }, f.seq, f.status);
    }
    case "sync": {
      const named = { ...s, names: { ...s.names, ...f.people } };
      if (f.reset) return { ...named, seq: f.seq, stale: new Set(s.rows) };
      return { ...foldRows(named, f.rows), seq: Math.max(s.seq, f.seq) };
    }
    case "chat.user":
    case "timeline.entry":
      return atLeast(foldRows({ ...s, names: { ...s.names, ...f.people } }, [f.row]), f.seq);
    case "chat.status":
      return atLeast(withStatus(s, f.seq, f.status), f.seq);
    case "chat.delta":
      return writing(s, f, (a) => addText(a, f));
    case "chat.toolcall":
      return writing(s, f, (a) => addCall(a, f));
    case "chat.note":
      return writing(s, f, (a) => addNote(a, f));
    case "chat.doing":
      return writing(s, f, (a) => ({ ...a, doing: f.status }));
    case "gene.card":
    case "gene.card.resolved":
      return atLeast(withCard(s, f), f.seq);
    case "order.card":
    case "order.card.resolved":
      return atLeast(withOrder(s, f), f.seq);
    case "run.progress":
      return atLeast(s, f.seq);
    case "presence":
      return { ...s, presence: f.people };
    case "error":
      return s;
  }
}

/** The sequence to resume from. Frames of one sequence may be cut apart by a lost connection, so it is one less. */
export const resumeFrom = (s: RoomState) => Math.max(0, s.seq - 1);

const atLeast = (s: RoomState, seq: number): RoomState => (seq > s.seq ? { ...s, seq } : s);

/** Puts rows in their place. What is not newer than what is there is dropped; so is what lies before the first page, which is read when asked for. */
function foldRows(s: RoomState, incoming: Row[], older = false): RoomState {
  let rows: Row[] | null = null;
  let next = s;
  const first = s.rows[0]?.seq ?? -1;
  for (const row of incoming) {
    next = ends(next, row);
    const list: Row[] = rows ?? s.rows;
    const at = placeOf(list, row.seq);
    const there = list[at];
    if (there?.seq === row.seq) {
      if (row.rev <= there.rev) continue;
      rows ??= [...list];
      rows[at] = row;
    } else if (!older && s.more && row.seq < first) {
      continue;
    } else {
      rows ??= [...list];
      rows.splice(at, 0, row);
    }
  }
  return rows ? { ...next, rows } : next;
}

// A finished turn replaces what was streamed of it.
function ends(s: RoomState, row: Row): RoomState {
  if (row.type !== "turn" || row.ref === undefined || s.ended.includes(row.ref)) return s;
  const told = s.news?.turn === row.ref && s.news.kind === "start";
  return {
    ...s,
    ended: [...s.ended.slice(-63), row.ref],
    answer: s.answer?.turn === row.ref ? null : s.answer,
    news: told ? { kind: "end", turn: row.ref, reason: row.body.reason } : s.news,
  };
}

/** The index of the first row that is not before seq. */
function placeOf(rows: Row[], seq: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if ((rows[mid]?.seq ?? 0) < seq) low = mid + 1;
    else high = mid;
  }
  return low;
}

function withStatus(s: RoomState, seq: number, status: Status): RoomState {
  if (seq < s.statusSeq) return s;
  const next = { ...s, status, statusSeq: seq };
  return status.turn === undefined ? next : begins(next, status.turn);
}

function begins(s: RoomState, turn: string): RoomState {
  if (s.ended.includes(turn) || s.news?.turn === turn) return s;
  return { ...s, news: { kind: "start", turn, reason: "" } };
}

function writing(s: RoomState, at: { turn: string; attempt: number }, change: (a: Answer) => Answer): RoomState {
  if (s.ended.includes(at.turn)) return s;
  const answer = answerFor(s.answer, at.turn, at.attempt);
  if (answer === null) return s;
  const changed = change(answer);
  return changed === s.answer ? s : begins({ ...s, answer: changed }, at.turn);
}

function withCard(s: RoomState, f: Frames["gene.card"]): RoomState {
  const { search, steer, constraints, ...rest } = f.card;
  const documents = [search !== undefined && "search", steer !== undefined && "steer", constraints !== undefined && "constraints"].filter((d) => d !== false);
  const card: CardState = { ...rest, documents };
  return {
    ...s,
    names: { ...s.names, ...f.people },
    cards: { ...s.cards, [card.card]: card },
    rows: patched(s.rows, f.seq, (r) => r.cards?.some((c) => c.card === card.card) === true, (r) => ({ ...r, cards: r.cards?.map((c) => (c.card === card.card ? card : c)) ?? [] })),
  };
}

function withOrder(s: RoomState, f: Frames["order.card"]): RoomState {
  const order: OrderState = f.order;
  return {
    ...s,
    names: { ...s.names, ...f.people },
    orders: { ...s.orders, [order.order]: order },
    rows: patched(s.rows, f.seq, (r) => r.orders?.some((o) => o.order === order.order) === true, (r) => ({ ...r, orders: r.orders?.map((o) => (o.order === order.order ? order : o)) ?? [] })),
  };
}

// The row's own event follows and carries the same; a row that is newer already stays.
function patched(rows: Row[], seq: number, holds: (r: Row) => boolean, change: (r: Row) => Row): Row[] {
  const at = rows.findLastIndex((r) => r.rev < seq && holds(r));
  const row = rows[at];
  return row ? rows.with(at, change(row)) : rows;
}
