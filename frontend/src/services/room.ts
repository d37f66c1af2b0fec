import { type QueryClient, queryOptions } from "@tanstack/react-query";

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

const posterOf = (media: { hash?: string; poster?: boolean } | undefined) => (media?.poster && media.hash ? `/api/media/${media.hash}.poster` : "");

/** Boards, films and assets are few: the newest are read once and looked through here. */
async function shelf(queries: QueryClient, agent: string, name: "boards" | "films" | "assets"): Promise<Citable[]> {
  return queries.query({
    queryKey: ["citables", agent, name],
    queryFn: async ({ signal }): Promise<Citable[]> => {
      const path = `${room(agent)}/${name}?limit=100`;
      switch (name) {
        case "boards": {
          const { boards, materials } = await api<Schemas["BoardsView"]>(path, { signal });
          return (boards ?? []).map((b) => ({ ref: { type: "board", id: b.board }, title: b.title, poster: posterOf(materials[b.panels?.[0]?.material ?? ""]) }));
        }
        case "films": {
          const { films, boards } = await api<Schemas["FilmsView"]>(path, { signal });
          return (films ?? []).map((f) => ({ ref: { type: "film", id: f.film }, title: boards[f.board]?.title ?? "", poster: posterOf(f.media) }));
        }
        case "assets": {
          const { assets } = await api<Schemas["AssetsView"]>(path, { signal });
          return (assets ?? []).map((a) => ({ ref: { type: "asset", id: a.asset }, title: a.title, poster: posterOf(a.media) }));
        }
      }
    },
    staleTime: 10_000,
  });
}

async function materials(agent: string, words: string, limit: number, signal: AbortSignal): Promise<Citable[]> {
  const found = await api<Schemas["MaterialsView"]>(`${room(agent)}/materials?limit=${limit}&q=${encodeURIComponent(words)}`, { signal });
  return (found.materials ?? []).map((m) => ({ ref: { type: "material", id: m.material }, title: m.title, poster: posterOf(m.media) }));
}

/** How many of each kind are offered. */
const offered = { material: 8, first: 4, other: 3 };

/** Materials whose title, author or tags hold the words, then boards, films and assets whose title does; newest first each. */
export const citablesQuery = (agent: string, words: string) =>
  queryOptions({
    queryKey: ["citables", agent, "of", words],
    queryFn: async ({ signal, client }) => {
      const [found, ...others] = await Promise.all([
        materials(agent, words, offered.material, signal),
        ...(["boards", "films", "assets"] as const).map((name) => shelf(client, agent, name)),
      ]);
      const q = words.toLowerCase();
      const rest = others.map((list) => list.filter((c) => c.title.toLowerCase().includes(q)).slice(0, offered.other));
      // With nothing written yet, materials leave room for the other kinds to be seen.
      const most = words === "" && rest.some((list) => list.length > 0) ? offered.first : offered.material;
      return [...found.slice(0, most), ...rest.flat()];
    },
    staleTime: 10_000,
  });

const shelves: Record<string, string> = { material: "materials", board: "boards", film: "films" };

/** The title of something cited. */
export const citedQuery = (agent: string, ref: Ref) =>
  queryOptions({
    queryKey: ["cited", agent, ref.type, ref.id],
    queryFn: async ({ signal }): Promise<Citable> => {
      type Shown = { title?: string; media?: Schemas["LibraryMedia"] };
      const shown = await api<Shown>(`${room(agent)}/${shelves[ref.type] ?? ""}/${encodeURIComponent(ref.id ?? "")}`, { signal });
      return { ref, title: shown.title ?? "", poster: posterOf(shown.media) };
    },
    enabled: ref.type in shelves && ref.id !== undefined,
    staleTime: 300_000,
  });
