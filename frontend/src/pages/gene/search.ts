import { rates, type RateName } from "../../services/performance";

/** What the address says about this page. One of edit, compare, rollback and card is open at most. */
export type GeneSearch = {
  /** Somebody edits the gene; with card, from that card. */
  edit?: true;
  /** The agent's sources are being chosen, over whatever else is shown. */
  sources?: true;
  /** The card that is shown or carried over. */
  card?: string;
  /** Versions compared. */
  from?: number;
  to?: number;
  /** The version that a rollback previews. */
  rollback?: number;
  /** The rate that the timeline shows. */
  metric?: RateName;
};

const numberOf = (value: unknown): number | undefined => {
  const n = typeof value === "number" || typeof value === "string" ? Number(value) : 0;
  return Number.isInteger(n) && n > 0 ? n : undefined;
};

export function geneSearch(search: Record<string, unknown>): GeneSearch {
  const [from, to, rollback] = [numberOf(search.from), numberOf(search.to), numberOf(search.rollback)];
  const metric = rates.find((rate) => rate === search.metric);
  return {
    ...(search.edit === true || search.edit === "true" ? { edit: true as const } : {}),
    ...(search.sources === true || search.sources === "true" ? { sources: true as const } : {}),
    ...(typeof search.card === "string" && search.card !== "" ? { card: search.card } : {}),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(rollback === undefined ? {} : { rollback }),
    ...(metric === undefined ? {} : { metric }),
  };
}
