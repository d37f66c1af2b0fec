import { queryOptions } from "@tanstack/react-query";

import type { Page, Ref } from "../live/wire";
import { api } from "./api";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type ReadMark = Schemas["ReadView"];
export type TurnDetail = Schemas["ProjectionsTurnDetail"];

/** How many rows of the room are read at once. */
export const pageSize = 60;

const room = (agent: string) => `/api/agents/${encodeURIComponent(agent)}`;

/** A page of rows, ascending: the newest, or those before a sequence. */
export async function readTimeline(agent: string, before = 0, signal?: AbortSignal): Promise<Page> {
  const at = before > 0 ? `&before=${before}` : "";
  const page = await api<Page>(`${room(agent)}/timeline?limit=${pageSize}${at}`, signal ? { signal } : {});
  return page;
}

/** The same of the room as it was at a moment: a gene version (V5), a sequence, or a time. */
export function readPast(agent: string, at: string, before = 0): Promise<Page> {
  return api<Page>(`${room(agent)}/timeline?limit=${pageSize}&as_of=${encodeURIComponent(at)}${before > 0 ? `&before=${before}` : ""}`);
}

/** Says something; the same key again is the same message. */
export function say(agent: string, key: string, text: string, refs: Ref[]): Promise<Schemas["Said"]> {
  return api(`${room(agent)}/messages`, { method: "POST", command: key, body: refs.length > 0 ? { text, refs } : { text } });
}

/** Takes an own message back that the butler has not taken up. */
export function takeBack(agent: string, key: string, message: string): Promise<Schemas["Done"]> {
  return api(`${room(agent)}/messages/${encodeURIComponent(message)}`, { method: "DELETE", command: key });
}

/** Stops this very answer; a later one is left alone. */
export function stopTurn(agent: string, key: string, turn: string): Promise<Schemas["Done"]> {
  return api(`${room(agent)}/turns/${encodeURIComponent(turn)}/stop`, { method: "POST", command: key });
}

/** Moves this person's read mark forward, whatever the tab. */
export function markRead(agent: string, seq: number): Promise<ReadMark> {
  return api(`${room(agent)}/read`, { method: "PUT", body: { seq } });
}

/** One answer with its rounds: what each tool was asked. */
export const turnQuery = (agent: string, turn: string) =>
  queryOptions({
    queryKey: ["turn", agent, turn],
    queryFn: ({ signal }) => api<TurnDetail>(`${room(agent)}/turns/${encodeURIComponent(turn)}`, { signal }),
    staleTime: Infinity,
  });

/** Something that a message can cite. */
export type Citable = { ref: Ref; title: string; poster: string };

const citable = (m: { material: string; title: string; media: Schemas["LibraryMedia"] }): Citable => ({
  ref: { type: "material", id: m.material },
  title: m.title,
  poster: m.media.poster && m.media.hash ? `/api/media/${m.media.hash}.poster` : "",
});

/** Materials whose title, author or tags hold the words, newest first. */
export const citablesQuery = (agent: string, words: string) =>
  queryOptions({
    queryKey: ["citables", agent, words],
    queryFn: async ({ signal }) => {
      const found = await api<Schemas["MaterialsView"]>(`${room(agent)}/materials?limit=8&q=${encodeURIComponent(words)}`, { signal });
      return (found.materials ?? []).map(citable);
    },
    staleTime: 10_000,
  });

/** The title of something cited. */
export const citedQuery = (agent: string, ref: Ref) =>
  queryOptions({
    queryKey: ["cited", agent, ref.type, ref.id],
    queryFn: async ({ signal }) => citable(await api<Schemas["MaterialView"]>(`${room(agent)}/materials/${encodeURIComponent(ref.id ?? "")}`, { signal })),
    enabled: ref.type === "material" && ref.id !== undefined,
    staleTime: 300_000,
  });
