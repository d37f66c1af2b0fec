// Rows and frames of a room as the server sends them, with what a test changes.
import type { Block, ChatRow, Frame, Page, Row, Status, TurnRow } from "../../live/wire";

export const lin = "01JDZ0000000000000000000A1";
export const zhou = "01JDZ0000000000000000000A2";

const at = (seq: number) => new Date(Date.UTC(2026, 10, 30, 10, 0, seq)).toISOString();

/** An id whose time part is that of seq. */
export const id = (seq: number, letter = "M") => `01JE${String(seq).padStart(6, "0")}${letter.repeat(16)}`;

export const chat = (seq: number, text: string, more: Partial<Omit<ChatRow, "body">> & { body?: Partial<ChatRow["body"]> } = {}): ChatRow => {
  const { body, ...rest } = more;
  return { seq, rev: seq, side: "right", type: "chat", ref: id(seq), actor: `user:${lin}`, time: at(seq), ...rest, body: { text, ...body } };
};

export const turn = (seq: number, ref: string, blocks: Block[], more: Partial<Omit<TurnRow, "body">> & { reason?: string } = {}): TurnRow => {
  const { reason = "finished", ...rest } = more;
  const usage = { known: true, input: 1, cache_write: 0, cache_read: 0, output: 1 };
  return { seq, rev: seq, side: "left", type: "turn", ref, actor: `butler:${ref}`, time: at(seq), ...rest, body: { reason, upto: "", blocks, usage, cost_yuan: 0 } };
};

export const text = (words: string): Block => ({ type: "text", text: words });

export const card = (ref: string, state = "pending", more: object = {}) => ({
  card: ref,
  state,
  base_version: 5,
  documents: ["search"],
  summary: "爆炸感加强",
  reason: "周说太慢",
  by: "butler:x",
  proposed_at: at(1),
  expires: "2026-12-07T10:00:00Z",
  ...more,
});

export const runEnd = (seq: number, more: object = {}): Row => ({
  seq,
  rev: seq,
  side: "centre",
  type: "run_finished",
  ref: id(seq, "R"),
  actor: "worker:w",
  time: at(seq),
  body: { work: "search", trigger: "hand", gene_version: 5, outcome: "done", reason: "finished", counts: { material: 7 }, cost_yuan: 0 },
  ...more,
});

export const status = (state: Status["state"], more: Partial<Status> = {}): Status => ({ state, cards: 0, orders: 0, runs: 0, ...more });

export const hello = (seq: number, room: Status = status("idle"), more: object = {}): Frame => ({
  type: "hello",
  seq,
  you: { id: lin, name: "林", admin: false },
  role: "member",
  model: { name: "rehearsal", rehearsal: true },
  version: "dev",
  status: room,
  people: [{ id: lin, name: "林", typing: false }],
  ...more,
});

export const sync = (seq: number, rows: Row[] = [], more: object = {}): Frame => ({ type: "sync", seq, rows, people: { [lin]: "林", [zhou]: "周" }, ...more });

export const entry = (row: Row): Frame => ({ type: row.type === "chat" ? "chat.user" : "timeline.entry", seq: row.rev, row, people: {} });

export const delta = (ref: string, attempt: number, offset: number, words: string): Frame => ({ type: "chat.delta", turn: ref, attempt, offset, text: words });

export const page = (rows: Row[], more = false): Page => ({ rows, more, people: { [lin]: "林", [zhou]: "周" } });
