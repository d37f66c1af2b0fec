import { Problem } from "../services/api";
import type { Ref, Row } from "./wire";

/** A message on its way: known by the key of its command until its row is here. */
export type Outgoing = {
  key: string;
  text: string;
  refs: Ref[];
  at: string;
  state: "sending" | "sent" | "failed";
  /** The message's id, once the server said it. */
  message: string;
  error: unknown;
};

// The server makes a message's id of its command's key: both begin with the same time.
const timePart = 10;

/** Whether a row is the message that is on its way. A row may come before the command's own answer. */
export function isRowOf(row: Row, o: Outgoing, me: string): boolean {
  if (row.type !== "chat" || row.ref === undefined) return false;
  if (o.message !== "") return row.ref === o.message;
  return row.actor === `user:${me}` && row.ref.slice(0, timePart) === o.key.slice(0, timePart) && row.body.text === o.text.trim();
}

/** What is still on its way, given the rows that are here. */
export function unanswered(outbox: Outgoing[], rows: Row[], me: string): Outgoing[] {
  if (outbox.length === 0) return outbox;
  const recent = rows.slice(-200);
  const left = outbox.filter((o) => !recent.some((row) => isRowOf(row, o, me)));
  return left.length === outbox.length ? outbox : left;
}

/** Whether it failed only because nobody could be reached: such a message goes out by itself when somebody can. */
export function willGoOut(o: Outgoing): boolean {
  return o.state === "failed" && (!(o.error instanceof Problem) || ["offline", "unavailable", "unexpected", "internal"].includes(o.error.code));
}

const place = (agent: string) => `sozai.outbox.${agent}`;

/** What a reload of this tab must not lose. It comes back as failed: sent again with its key, it cannot be doubled. */
export function loadOutbox(agent: string): Outgoing[] {
  try {
    const list: unknown = JSON.parse(sessionStorage.getItem(place(agent)) ?? "[]");
    return Array.isArray(list) ? list.filter(isStored).map((o) => ({ ...o, state: "failed", error: null })) : [];
  } catch {
    return [];
  }
}

export function keepOutbox(agent: string, outbox: Outgoing[]): void {
  if (outbox.length === 0) sessionStorage.removeItem(place(agent));
  else sessionStorage.setItem(place(agent), JSON.stringify(outbox.map((o) => ({ ...o, error: null }))));
}

function isStored(o: unknown): o is Outgoing {
  return typeof o === "object" && o !== null && "key" in o && "text" in o && "refs" in o && "message" in o && "at" in o;
}
