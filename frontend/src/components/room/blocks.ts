import type { RoomView } from "../../live/store";
import type { Block } from "../../live/wire";

/** A part of an answer as it is drawn: texts, cards, notes, and lines of tools. */
export type Part = { kind: "text" | "note"; key: string; text: string } | { kind: "card" | "order"; key: string; ref: string } | { kind: "tools" | "failure"; key: string; calls: Block[] };

const wrong = (outcome: string | undefined) => outcome === "error" || outcome === "interrupted";

/**
 * Draws blocks together. A call that made a card or order leaves no line of its own:
 * what it made is its line. Calls of one tool that went well stand on one line;
 * what went wrong stands alone.
 */
export function partsOf(blocks: Block[]): Part[] {
  const made = new Set(blocks.flatMap((b) => ((b.type === "card" || b.type === "order") && b.call !== undefined ? [b.call] : [])));
  const parts: Part[] = [];
  blocks.forEach((b, at) => {
    const key = `${b.type}:${b.call ?? ""}:${b.ref ?? ""}:${at}`;
    if (b.type === "card" || b.type === "order") {
      if (b.ref !== undefined) parts.push({ kind: b.type, key: `${b.type}:${b.ref}`, ref: b.ref });
    } else if (b.type === "text" || b.type === "note") {
      if ((b.text ?? "").trim() !== "") parts.push({ kind: b.type, key: `${b.type}:${at}`, text: b.text ?? "" });
    } else if (wrong(b.outcome)) {
      parts.push({ kind: "failure", key, calls: [b] });
    } else if (b.call === undefined || !made.has(b.call)) {
      const last = parts.at(-1);
      if (last?.kind === "tools" && last.calls[0]?.tool === b.tool && last.calls[0]?.outcome === b.outcome) last.calls.push(b);
      else parts.push({ kind: "tools", key: `tools:${b.call ?? at}`, calls: [b] });
    }
  });
  return parts;
}

/** The newest card or order that waits: what the decision keys mean when nothing has the focus. */
export function firstToDecide(view: RoomView): string {
  for (let i = view.rows.length - 1; i >= Math.max(0, view.rows.length - 200); i--) {
    const row = view.rows[i];
    const card = row?.cards?.findLast((c) => c.state === "pending")?.card ?? row?.orders?.findLast((o) => o.state === "pending")?.order;
    if (card !== undefined) return card;
  }
  return "";
}
