import type { Answer } from "../../live/answer";
import type { Outgoing } from "../../live/outbox";
import type { RoomView } from "../../live/store";
import type { ChatRow, Row, Status } from "../../live/wire";

/** One line of the log. Keys follow what a line is about, so that a streamed answer and its finished row are one. */
export type Item =
  | { kind: "beginning"; key: string }
  | { kind: "day"; key: string; at: string }
  | { kind: "fresh"; key: string }
  | { kind: "row"; key: string; row: Row }
  | { kind: "answer"; key: string; answer: Answer }
  | { kind: "outgoing"; key: string; outgoing: Outgoing };

const keyOf = (row: Row) => (row.type === "turn" ? `turn:${row.ref ?? ""}` : `row:${row.seq}`);

/** A message that no turn has read. */
const unread = (row: Row): row is ChatRow => row.type === "chat" && row.body.turn === undefined && row.body.taken_back !== true;

const busy = (status: Status | null) => status?.state === "answering" || status?.state === "stopping";

/** While the butler answers, what is said joins the next turn and stands above the box, not in the log. */
export function isQueued(row: Row, status: Status | null): row is ChatRow {
  return busy(status) && unread(row) && row.ref !== undefined && status?.reads?.includes(row.ref) !== true;
}

/** What stands above the box: rows in the order of the log, then what is still on its way. */
export function queueOf(rows: Row[], outbox: Outgoing[], status: Status | null): { rows: ChatRow[]; outbox: Outgoing[] } {
  if (!busy(status)) return { rows: [], outbox: [] };
  return { rows: rows.slice(-200).filter((row) => isQueued(row, status)), outbox: outbox.filter((o) => o.state !== "failed") };
}

/** The log as lines, in the order of the log. freshAfter: rows of others beyond it are marked as new, 0 for none. */
export function itemsOf(view: Pick<RoomView, "rows" | "more" | "status" | "answer" | "outbox">, freshAfter: number, me: string): Item[] {
  const items: Item[] = [];
  let day = "";
  let marked = freshAfter === 0;
  // The mark is placed once the row before it is here.
  let reached = !view.more;
  if (!view.more && view.rows.length > 0) items.push({ kind: "beginning", key: "beginning" });
  for (const row of view.rows) {
    if (isQueued(row, view.status)) continue;
    const date = new Date(row.time).toDateString();
    // The first row of what was read so far need not be the first of its day.
    if (date !== day && (day !== "" || !view.more)) items.push({ kind: "day", key: `day:${row.seq}`, at: row.time });
    day = date;
    reached ||= row.seq <= freshAfter;
    if (!marked && reached && row.seq > freshAfter && row.actor !== `user:${me}`) {
      marked = true;
      items.push({ kind: "fresh", key: "fresh" });
    }
    items.push({ kind: "row", key: keyOf(row), row });
  }
  if (view.answer) items.push({ kind: "answer", key: `turn:${view.answer.turn}`, answer: view.answer });
  for (const outgoing of view.outbox) {
    if (!busy(view.status) || outgoing.state === "failed") items.push({ kind: "outgoing", key: `key:${outgoing.key}`, outgoing });
  }
  return items;
}

/** A first guess of a line's height; it is measured once it is drawn. */
export function heightOf(item: Item | undefined, width: number): number {
  if (item === undefined) return 40;
  const lines = (text: string) => Math.max(1, Math.ceil((text.length * 13) / Math.max(200, width - 60)));
  switch (item.kind) {
    case "row":
      if (item.row.type === "chat") return 42 + 22 * lines(item.row.body.text);
      if (item.row.type === "turn") {
        const text = item.row.body.blocks.reduce((sum, b) => sum + (b.type === "text" ? lines(b.text ?? "") * 22 : 26), 24);
        return text + 320 * (item.row.cards?.length ?? 0) + 200 * (item.row.orders?.length ?? 0);
      }
      return item.row.type === "card" || item.row.type === "order" ? 340 : 28;
    case "answer":
      return 60 + 22 * lines(item.answer.text);
    case "outgoing":
      return 42 + 22 * lines(item.outgoing.text);
    case "beginning":
    case "day":
    case "fresh":
      return 24;
  }
}
