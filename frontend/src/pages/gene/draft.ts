import { merge } from "../../components/card/merge";
import type { Card } from "../../services/cards";
import { documents, type Texts } from "../../services/genes";

/** What somebody is writing over a version. It survives a reload in this browser. */
export type Draft = Texts & {
  /** The version it was begun on, with its texts: what a newer one is compared with. */
  base: number;
  was: Texts;
  summary: string;
  /** The card that is carried over, "" if none. */
  card: string;
  /** Places where the card and the newer version both changed the same lines. */
  clashes: number;
};

const textsOf = ({ search, steer, constraints }: Texts): Texts => ({ search, steer, constraints });

export const begin = (current: Texts & { version: number }): Draft => ({
  ...textsOf(current),
  base: current.version,
  was: textsOf(current),
  summary: "",
  card: "",
  clashes: 0,
});

/** An expired card's changes laid over the current version. */
export function beginFrom(card: Pick<Card, "id" | "was" | "change" | "summary">, current: Texts & { version: number }): Draft {
  const carried = overlay(card.was, { ...card.was, ...card.change }, current);
  return { ...begin(current), ...carried, summary: card.summary, card: card.id };
}

/** The same changes, laid over the version that came meanwhile. */
export function carryOver(draft: Draft, current: Texts & { version: number }): Draft {
  const carried = overlay(draft.was, draft, current);
  return { ...draft, ...carried, clashes: draft.clashes + carried.clashes, base: current.version, was: textsOf(current) };
}

function overlay(base: Texts, mine: Texts, current: Texts): Texts & { clashes: number } {
  const laid: Texts & { clashes: number } = { ...textsOf(current), clashes: 0 };
  for (const document of documents) {
    const merged = merge(base[document], current[document], mine[document]);
    laid[document] = merged.text;
    laid.clashes += merged.clashes;
  }
  const pick = <K extends keyof Texts["constraints"]>(key: K) => (mine.constraints[key] === base.constraints[key] ? current : mine).constraints[key];
  laid.constraints = { maxFilmSeconds: pick("maxFilmSeconds"), aspect: pick("aspect") };
  return laid;
}

const keyOf = (agent: string) => `sozai.gene.draft.${agent}`;

/** The draft that was left here, if it is of the same card or of none. */
export function loadDraft(agent: string, card: string): Draft | null {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(agent)) ?? "null");
    return isDraft(kept) && kept.card === card ? kept : null;
  } catch {
    return null;
  }
}

export function keepDraft(agent: string, draft: Draft | null): void {
  if (draft === null) localStorage.removeItem(keyOf(agent));
  else localStorage.setItem(keyOf(agent), JSON.stringify(draft));
}

function isDraft(value: unknown): value is Draft {
  if (typeof value !== "object" || value === null) return false;
  const d = value as Partial<Record<keyof Draft, unknown>>;
  return typeof d.base === "number" && typeof d.card === "string" && typeof d.summary === "string" && isTexts(value) && isTexts(d.was);
}

function isTexts(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const d = value as Partial<Record<keyof Texts, unknown>>;
  return typeof d.search === "string" && typeof d.steer === "string" && typeof d.constraints === "object" && d.constraints !== null;
}
