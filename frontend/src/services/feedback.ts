import { type QueryClient, queryOptions } from "@tanstack/react-query";

import { api } from "./api";
import type { components } from "./schema";
import { read, wrote } from "./wrote";

type Wire = components["schemas"];

export type Verdict = "like" | "dislike";

export type Feedback = {
  id: string;
  object: string;
  /** The panel of a board, 0 for the whole of it. */
  panel: number;
  /** The stretch of a film in seconds; null: the whole of it. */
  range: Range | null;
  verdict: Verdict | null;
  words: string;
  /** The person, and their name. */
  by: string;
  name: string;
  /** The butler wrote it down for them. */
  written: boolean;
  at: Date;
  /** open, settled (a version came of it) or withdrawn. */
  state: string;
  settledIn: number;
};

/** Seconds of a film. */
export type Range = { from: number; to: number };

/** What is spoken of: an object, or a panel of a board, or a stretch of a film. */
export type ObjectRef = { type: string; id: string; panel?: number; from?: number; to?: number };

export const feedbackKey = (agent: string) => ["feedback", agent] as const;

function feedbackOf(view: Wire["FeedbackView"]): Feedback[] {
  return (view.items ?? []).map((f) => ({
    id: f.feedback,
    object: f.object.id ?? "",
    panel: f.object.panel ?? 0,
    range: (f.object.to ?? 0) > 0 ? { from: f.object.from ?? 0, to: f.object.to ?? 0 } : null,
    verdict: f.verdict === "like" || f.verdict === "dislike" ? f.verdict : null,
    words: f.words ?? "",
    by: f.by,
    name: view.people[f.by] ?? "",
    written: !f.written_by.startsWith("user:"),
    at: new Date(f.at),
    state: f.state,
    settledIn: f.settled_in ?? 0,
  }));
}

/** The latest reactions to an agent's materials, newest first: enough to mark what the reader said in the grid. */
export const materialFeedbackQuery = (agent: string) =>
  queryOptions({
    queryKey: [...feedbackKey(agent), "material"],
    queryFn: async ({ signal, client }) => feedbackOf(await api<Wire["FeedbackView"]>(read(client, agent, "/feedback", { type: "material", limit: 500 }), { signal })),
    staleTime: 30_000,
  });

/** What everybody said about one object, newest first. */
export const objectFeedbackQuery = (agent: string, object: ObjectRef) =>
  queryOptions({
    queryKey: [...feedbackKey(agent), object.type, object.id],
    queryFn: async ({ signal, client }) => feedbackOf(await api<Wire["FeedbackView"]>(read(client, agent, "/feedback", { type: object.type, id: object.id, limit: 200 }), { signal })),
  });

/** One click: react, with or without words, in place of an earlier reaction of the same person. */
export type Reaction = { key: string; undoKey: string; object: ObjectRef; verdict: Verdict | null; words: string; replaces: string };

/** Gives the new reaction first, then takes the old one back, so that none is lost in between. */
export async function react(queries: QueryClient, agent: string, reaction: Reaction): Promise<string> {
  const { object, verdict, words } = reaction;
  const given = await api<{ feedback: string; seq: number }>(`/api/agents/${encodeURIComponent(agent)}/feedback`, {
    method: "POST",
    command: reaction.key,
    body: { object, verdict: verdict ?? undefined, words: words || undefined },
  });
  wrote(queries, agent, given.seq);
  if (reaction.replaces !== "") await withdraw(queries, agent, reaction.replaces, reaction.undoKey);
  return given.feedback;
}

export async function withdraw(queries: QueryClient, agent: string, feedback: string, key: string): Promise<void> {
  const { seq } = await api<{ seq: number }>(`/api/agents/${encodeURIComponent(agent)}/feedback/${encodeURIComponent(feedback)}`, { method: "DELETE", command: key });
  wrote(queries, agent, seq);
}

/** The reader's standing word on an object or one panel of it: their newest reaction that was not taken back. */
export const mineOn = (all: Feedback[] | undefined, user: string, object: string, panel = 0): Feedback | undefined =>
  all?.find((f) => f.object === object && f.panel === panel && f.range === null && f.by === user && f.state !== "withdrawn" && f.verdict !== null);
