import { Problem } from "../../services/api";
import { cardClosed, type Card, type CardState } from "../../services/cards";
import { baseMoved, type Part, partsOf } from "../../services/genes";

export type Status = {
  state: "pending" | "applied" | "rejected" | "expired";
  base: number;
  /** What the card changes. */
  parts: Part[];
  version: number;
  /** What of it was applied; empty when that is not known yet. */
  applied: Part[];
  edited: boolean;
  moved: boolean;
  movedTo: number;
  by: string;
  at: Date | null;
  why: string;
  chips: string[];
};

const stateOf = (word: string): Status["state"] => (word === "applied" || word === "rejected" || word === "expired" ? word : "pending");

/** Where a card stands by what the room shows and what was read. A card never opens again, so whichever is closed is newer. */
export function statusOf(row: CardState, card: Card | undefined): Status {
  const seen = {
    state: stateOf(row.state),
    base: row.base_version,
    parts: partsOf(row.documents),
    version: row.version ?? 0,
    edited: row.edited ?? false,
    moved: row.cause === baseMoved,
    movedTo: row.moved_to ?? 0,
    by: row.closed_by ?? "",
    at: row.closed_at === undefined ? null : new Date(row.closed_at),
    why: row.why ?? "",
  };
  if (!card || card.state === "pending") return { ...seen, applied: [], chips: [] };
  return {
    ...seen,
    state: stateOf(card.state),
    version: card.version,
    applied: card.applied,
    edited: card.edited,
    moved: card.cause === baseMoved,
    movedTo: card.movedTo,
    by: card.closedBy,
    at: card.closedAt,
    why: card.why,
    chips: card.chips,
  };
}

/** Who was faster, as the refusal of a late command says it. */
export type Winner = { state: string; name: string; at: Date | null; version: number; moved: boolean };

/** Null if the command failed for another reason than that somebody was faster. */
export function winnerOf(error: unknown, closed: string = cardClosed): Winner | null {
  if (!(error instanceof Problem) || error.reason !== closed) return null;
  const { state, by_name: name, at, version, cause } = error.details;
  return {
    state: typeof state === "string" ? state : "",
    name: typeof name === "string" ? name : "",
    at: typeof at === "string" && !Number.isNaN(Date.parse(at)) ? new Date(at) : null,
    version: typeof version === "number" ? version : 0,
    moved: cause === baseMoved,
  };
}
