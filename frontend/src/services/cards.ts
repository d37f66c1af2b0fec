import { type QueryClient, queryOptions } from "@tanstack/react-query";

import { api } from "./api";
import { feedbackKey } from "./feedback";
import { constraintsOf, editToWire, genesKey, type Part, parts, type People, type Texts, versionOf } from "./genes";
import type { components } from "./schema";
import { read, wrote } from "./wrote";

type Wire = components["schemas"];

/** A card as a row of the room carries it. */
export type CardState = Wire["ProjectionsRowCardState"];

export type Ref = { type: string; id: string; panel: number; from: number; to: number };

/** Feedback that a card used, and the document it was used for. */
export type Citation = { feedback: string; document: string };

export type Card = {
  id: string;
  state: string;
  base: number;
  /** Full texts of what it changes; the others stay. */
  change: Partial<Texts>;
  /** The texts of its base. */
  was: Texts;
  summary: string;
  reason: string;
  evidence: Ref[];
  feedback: Citation[];
  /** The digest that made it, "" if none did. */
  run: string;
  by: string;
  proposedAt: Date;
  expires: Date;
  closedBy: string;
  closedAt: Date | null;
  /** The version that came of it. */
  version: number;
  applied: Part[];
  edited: boolean;
  settled: number;
  cause: string;
  movedTo: number;
  why: string;
  chips: string[];
  people: People;
};

export const refOf = (r: Wire["DomainRef"]): Ref => ({ type: r.type, id: r.id ?? "", panel: r.panel ?? 0, from: r.from ?? 0, to: r.to ?? 0 });

function cardOf(c: Wire["CardView"]): Card {
  const base = versionOf(c.base);
  return {
    id: c.card,
    state: c.state,
    base: c.base_version,
    change: {
      ...(c.search === undefined ? {} : { search: c.search }),
      ...(c.steer === undefined ? {} : { steer: c.steer }),
      ...(c.constraints === undefined ? {} : { constraints: constraintsOf(c.constraints) }),
    },
    was: { search: base.search, steer: base.steer, constraints: base.constraints },
    summary: c.summary,
    reason: c.reason,
    evidence: (c.evidence ?? []).map(refOf),
    feedback: (c.feedback ?? []).map((f) => ({ feedback: f.feedback, document: f.document })),
    run: c.run ?? "",
    by: c.by,
    proposedAt: new Date(c.proposed_at),
    expires: new Date(c.expires),
    closedBy: c.closed_by ?? "",
    closedAt: c.closed_at === undefined ? null : new Date(c.closed_at),
    version: c.version ?? 0,
    applied: parts.filter((part) => c.applied?.includes(part)),
    edited: c.edited ?? false,
    settled: c.settled?.length ?? 0,
    cause: c.cause ?? "",
    movedTo: c.moved_to ?? 0,
    why: c.why ?? "",
    chips: c.chips ?? [],
    people: c.people,
  };
}

/** What a card changes, in the order it is read. */
export const partsOfCard = (card: Card): Part[] => parts.filter((part) => card.change[part] !== undefined);

export const cardsKey = (agent: string) => ["cards", agent] as const;

/** One card whole. seen is the state that the room shows: the read is repeated until it has come that far. */
export const cardQuery = (agent: string, id: string, seen = "") =>
  queryOptions({
    queryKey: [...cardsKey(agent), "one", id],
    queryFn: async ({ signal, client }) => cardOf(await api<Wire["CardView"]>(read(client, agent, `/cards/${encodeURIComponent(id)}`), { signal })),
    staleTime: 60_000,
    refetchInterval: (query) => (seen !== "" && seen !== "pending" && query.state.data?.state === "pending" ? 800 : false),
  });

/** The ids of the cards that wait for somebody, newest first. */
export const waitingCardsQuery = (agent: string) =>
  queryOptions({
    queryKey: [...cardsKey(agent), "waiting"],
    queryFn: async ({ signal, client }) => {
      const view = await api<Wire["CardsView"]>(read(client, agent, "/cards", { state: "pending" }), { signal });
      return (view.cards ?? []).map((card) => ({ id: card.card, summary: card.summary, base: card.base_version }));
    },
  });

/** What somebody said or clicked, as a card cites it. */
export type Cited = { id: string; object: string; verdict: "like" | "dislike" | null; words: string; by: string; at: Date };

/** The latest feedback by its id, with the names of its people. */
export const citedQuery = (agent: string) =>
  queryOptions({
    queryKey: [...feedbackKey(agent), "cited"],
    queryFn: async ({ signal, client }): Promise<{ items: Map<string, Cited>; people: People }> => {
      const view = await api<Wire["FeedbackView"]>(read(client, agent, "/feedback", { limit: 500 }), { signal });
      const items = (view.items ?? []).map((f): [string, Cited] => [
        f.feedback,
        {
          id: f.feedback,
          object: f.object.type,
          verdict: f.verdict === "like" || f.verdict === "dislike" ? f.verdict : null,
          words: f.words ?? "",
          by: `user:${f.by}`,
          at: new Date(f.at),
        },
      ]);
      return { items: new Map(items), people: view.people };
    },
    staleTime: 30_000,
  });

/** An object that is cited: its title, and the address of its picture ("" if none). */
export type Cite = { title: string; poster: string };

const shelves: Record<string, string> = { material: "materials", board: "boards", film: "films" };

/** Whether citeQuery knows objects of this type. */
export const isOnShelf = (type: string) => type in shelves;

export const citeQuery = (agent: string, ref: { type: string; id: string }) =>
  queryOptions({
    queryKey: ["cite", agent, ref.type, ref.id],
    queryFn: async ({ signal, client }): Promise<Cite> => {
      const object = await api<{ title?: string; media?: Wire["LibraryMedia"] }>(read(client, agent, `/${shelves[ref.type] ?? ""}/${encodeURIComponent(ref.id)}`), { signal });
      const { media } = object;
      return { title: object.title ?? "", poster: media?.hash && media.poster ? `/api/media/${media.hash}.poster` : "" };
    },
    enabled: isOnShelf(ref.type),
    staleTime: 300_000,
  });

const at = (agent: string, path: string) => `/api/agents/${encodeURIComponent(agent)}${path}`;

/** A card was closed by somebody else first: the reason of the refusal. */
export const cardClosed = "card_closed";

/** Yes: to all of it or to some parts, as it is or with other texts. */
export type Application = { parts: Part[]; edit: Partial<Texts> };

export async function applyCard(queries: QueryClient, agent: string, card: string, application: Application, command: string): Promise<void> {
  const body = { ...(application.parts.length > 0 ? { documents: application.parts } : {}), ...editToWire(application.edit) };
  const { seq } = await api<Wire["Applied"]>(at(agent, `/cards/${encodeURIComponent(card)}/apply`), { method: "POST", command, body });
  await closed(queries, agent, seq);
}

export type Rejection = { reason: string; chips: string[] };

export async function rejectCard(queries: QueryClient, agent: string, card: string, rejection: Rejection, command: string): Promise<void> {
  const { seq } = await api<Wire["Done"]>(at(agent, `/cards/${encodeURIComponent(card)}/reject`), { method: "POST", command, body: rejection });
  await closed(queries, agent, seq);
}

/** Reads again what a closed card changed; what it says counts, not the answer of the command. */
async function closed(queries: QueryClient, agent: string, seq: number): Promise<void> {
  wrote(queries, agent, seq);
  await refreshCards(queries, agent);
}

export async function refreshCards(queries: QueryClient, agent: string): Promise<void> {
  await Promise.all([queries.invalidateQueries({ queryKey: cardsKey(agent) }), queries.invalidateQueries({ queryKey: genesKey(agent) })]);
}

/** Asks the butler in the room for another card, with the old one cited. */
export async function askAgain(queries: QueryClient, agent: string, card: string, text: string, command: string): Promise<void> {
  const { seq } = await api<Wire["Said"]>(at(agent, "/messages"), { method: "POST", command, body: { text, refs: [{ type: "card", id: card }] } });
  wrote(queries, agent, seq);
}

/** A card that was read, as a row of the room would carry it. */
export const stateOfCard = (card: Card): CardState => ({
  card: card.id,
  state: card.state,
  base_version: card.base,
  documents: partsOfCard(card),
  summary: card.summary,
  reason: card.reason,
  by: card.by,
  proposed_at: card.proposedAt.toISOString(),
  expires: card.expires.toISOString(),
});
