import { type QueryClient, queryOptions } from "@tanstack/react-query";

import { api } from "./api";
import type { components } from "./schema";
import { read, wrote } from "./wrote";

type Wire = components["schemas"];

export type Verdict = "like" | "dislike";

export type Feedback = {
  id: string;
  object: string;
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

export type ObjectRef = { type: string; id: string };

export const feedbackKey = (agent: string) => ["feedback", agent] as const;

function feedbackOf(view: Wire["FeedbackView"]): Feedback[] {
  return (view.items ?? []).map((f) => ({
    id: f.feedback,
    object: f.object.id ?? "",
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

/** The reader's standing word on an object: their newest reaction that was not taken back. */
export const mineOn = (all: Feedback[] | undefined, user: string, object: string): Feedback | undefined =>
  all?.find((f) => f.object === object && f.by === user && f.state !== "withdrawn" && f.verdict !== null);
