import type { Block, Delta, ToolCall } from "./wire";

/**
 * The answer that is being written. Live frames may be late, doubled or lost, so only
 * (turn, attempt, offset in bytes of UTF-8) decides what is taken: the text is always
 * one piece from offset 0, and a newer attempt begins anew.
 */
export type Answer = {
  turn: string;
  attempt: number;
  text: string;
  /** Length of the text in bytes. */
  bytes: number;
  calls: ToolCall[];
  notes: Delta[];
  /** Pieces beyond a hole. */
  held: Delta[];
  /** What the butler is at, for the moment; "" when it writes. */
  doing: string;
};

const utf8 = new TextEncoder();
const decoder = new TextDecoder();

/** The answer that a frame belongs to: this one, a new one, or null for a frame that comes too late. */
export function answerFor(answer: Answer | null, turn: string, attempt: number): Answer | null {
  if (turn === "" || attempt < 1) return null;
  if (answer?.turn === turn && attempt <= answer.attempt) return attempt === answer.attempt ? answer : null;
  return { turn, attempt, text: "", bytes: 0, calls: [], notes: [], held: [], doing: "" };
}

/** Takes a piece of text in: what is there already is dropped, what lies beyond a hole waits. */
export function addText(answer: Answer, delta: Delta): Answer {
  if (delta.offset > answer.bytes) return { ...answer, held: [...answer.held, delta] };
  let next = append(answer, delta);
  if (next === answer) return answer;
  const rest: Delta[] = [];
  for (const held of [...answer.held].sort((a, b) => a.offset - b.offset)) {
    if (held.offset > next.bytes) rest.push(held);
    else next = append(next, held);
  }
  return { ...next, held: rest, doing: "" };
}

function append(answer: Answer, delta: Delta): Answer {
  const bytes = utf8.encode(delta.text);
  const known = answer.bytes - delta.offset;
  if (known >= bytes.length) return answer;
  return { ...answer, text: answer.text + decoder.decode(bytes.subarray(known)), bytes: delta.offset + bytes.length };
}

/** A call that began or ended; the end replaces the beginning. */
export function addCall(answer: Answer, call: ToolCall): Answer {
  const at = answer.calls.findIndex((c) => c.call === call.call);
  if (at < 0) return { ...answer, calls: [...answer.calls, call] };
  if (answer.calls[at]?.state === "ended") return answer;
  return { ...answer, calls: answer.calls.with(at, call) };
}

export function addNote(answer: Answer, note: Delta): Answer {
  if (answer.notes.some((n) => n.offset === note.offset && n.text === note.text)) return answer;
  return { ...answer, notes: [...answer.notes, note] };
}

/** The answer as the blocks that its finished row will have: text cut where calls and notes stand. */
export function blocksOf(answer: Answer): Block[] {
  const inserts: { offset: number; block: Block }[] = [
    ...answer.calls.flatMap((c) => blocksOfCall(c).map((block) => ({ offset: c.offset, block }))),
    ...answer.notes.map((n) => ({ offset: n.offset, block: { type: "note" as const, text: n.text } })),
  ].sort((a, b) => a.offset - b.offset);
  const whole = utf8.encode(answer.text);
  const blocks: Block[] = [];
  let from = 0;
  const textUpto = (to: number) => {
    if (to > from) blocks.push({ type: "text", text: decoder.decode(whole.subarray(from, to)) });
    from = Math.max(from, to);
  };
  for (const { offset, block } of inserts) {
    textUpto(Math.min(offset, whole.length));
    blocks.push(block);
  }
  textUpto(whole.length);
  return blocks;
}

// What a call made stands under it; the call's own line is then left out by the view.
function blocksOfCall(c: ToolCall): Block[] {
  const block: Block = { type: "tool", call: c.call, tool: c.tool, outcome: c.state === "ended" ? (c.outcome ?? "ok") : "running" };
  if (c.object !== undefined) block.object = c.object;
  if (c.seconds !== undefined) block.seconds = c.seconds;
  if ((c.kind === "card" || c.kind === "order") && c.ref !== undefined && c.ref !== "") return [block, { type: c.kind, ref: c.ref, call: c.call }];
  return [block];
}
