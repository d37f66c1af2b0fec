import type { components } from "../services/schema";

// What the room's socket carries (docs/live.md) and what a row may hold.

type Schemas = components["schemas"];
export type Ref = Schemas["DomainRef"];
export type CardState = Schemas["ProjectionsRowCardState"];
export type OrderState = Schemas["ProjectionsRowOrderState"];
export type Usage = Schemas["DomainUsage"];
export type Names = Record<string, string>;

export type Block = {
  type: "text" | "tool" | "card" | "order" | "note";
  text?: string;
  ref?: string;
  call?: string;
  tool?: string;
  object?: string;
  outcome?: string;
  seconds?: number;
};

// One type of row each, so that its type tells its body.
type RowOf<T extends string, B> = T extends string ? {
  seq: number;
  rev: number;
  side: "left" | "right" | "centre";
  type: T;
  ref?: string;
  actor: string;
  time: string;
  body: B;
  refs?: Ref[] | null;
  cards?: CardState[] | null;
  orders?: OrderState[] | null;
} : never;

type Decision = { version?: number; documents?: string[]; edited?: boolean; settled?: number; reason?: string; chips?: string[]; run?: string };
type Version = { version: number; base_version: number; rolled_back_to?: number; summary: string };
type Asked = { work: string; trigger: string; request: Schemas["RunRequest"]; retry_of?: string; continues?: string };
type Ended = {
  work: string;
  trigger: string;
  gene_version: number;
  outcome: string;
  reason: string;
  summary?: string;
  counts?: Record<string, number>;
  cost_yuan: number;
};

export type ChatRow = RowOf<"chat", { text: string; taken_back?: boolean; turn?: string }>;
export type TurnRow = RowOf<"turn", { reason: string; upto: string; blocks: Block[]; usage: Usage; cost_yuan: number }>;
export type RunEndRow = RowOf<"run_finished", Ended>;

/** One row of the room: seq is its place, a larger rev replaces it. */
export type Row =
  | ChatRow
  | TurnRow
  | RunEndRow
  | RowOf<"card" | "order", object>
  | RowOf<"card_applied" | "card_rejected" | "order_confirmed" | "order_declined", Decision>
  | RowOf<"gene_edited" | "gene_rolled_back", Version>
  | RowOf<"run_ordered" | "run_asked", Asked>
  | RowOf<"feedback", { object: Ref; verdict?: string; words: string; withdrawn?: boolean }>
  | RowOf<"reactions", { object: string; likes: number; dislikes: number; downloads: number; objects: number }>
  | RowOf<"board_edited" | "asset_uploaded", { title: string }>;

export type Status = {
  state: "idle" | "answering" | "stopping" | "waiting";
  turn?: string;
  attempt?: number;
  /** The messages that the turn answers. */
  reads?: string[];
  /** The messages that the next turn will answer. */
  waiting?: string[];
  cards: number;
  orders: number;
  runs: number;
};

export type Person = { id: string; name: string; typing: boolean };
export type Model = { name: string; rehearsal: boolean };
export type You = { id: string; name: string; admin: boolean };

export type Delta = { turn: string; attempt: number; offset: number; text: string };
export type ToolCall = {
  turn: string;
  attempt: number;
  offset: number;
  call: string;
  tool: string;
  object?: string;
  state: "started" | "ended";
  outcome?: string;
  seconds?: number;
  kind?: string;
  ref?: string;
};

export type RunProgress = {
  seq: number;
  run: string;
  state: string;
  work?: string;
  attempt?: number;
  progress?: Schemas["ProjectionsProgress"];
  reason?: string;
  products?: Ref[];
};

/** Frames of the server by their type; all of them also have that type as a field. */
export type Frames = {
  hello: { seq: number; you: You; role: string; model: Model; version: string; status: Status; people: Person[] };
  sync: { seq: number; reset?: boolean; rows: Row[]; people: Names };
  "chat.user": { seq: number; row: Row; people?: Names };
  "timeline.entry": { seq: number; row: Row; people?: Names };
  "chat.status": { seq: number; status: Status };
  "chat.delta": Delta;
  "chat.toolcall": ToolCall;
  "chat.note": Delta;
  "chat.doing": { turn: string; attempt: number; status: string; tool?: string };
  "gene.card": { seq: number; card: Schemas["ProjectionsCard"]; people?: Names };
  "gene.card.resolved": { seq: number; card: Schemas["ProjectionsCard"]; people?: Names };
  "order.card": { seq: number; order: Schemas["ProjectionsOrder"]; people?: Names };
  "order.card.resolved": { seq: number; order: Schemas["ProjectionsOrder"]; people?: Names };
  "run.progress": RunProgress;
  presence: { people: Person[] };
  error: { reason: string; detail: string };
};

export type FrameType = keyof Frames;
export type Frame = { [T in FrameType]: { type: T } & Frames[T] }[FrameType];
export type FrameOf<T extends FrameType> = Extract<Frame, { type: T }>;

export function isOf<T extends FrameType>(type: T, frame: Frame): frame is FrameOf<T> {
  return frame.type === type;
}

/** A page of the timeline, ascending. */
export type Page = { rows: Row[]; people: Names; more: boolean };
