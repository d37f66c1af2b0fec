import { infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query";

import { api, Problem } from "./api";
import { type Film, filmOf } from "./films";
import type { components } from "./schema";
import { read, wrote } from "./wrote";

type Wire = components["schemas"];

/** One numbered picture: so many seconds of a clip, from where to where, under a caption. */
export type Panel = { number: number; caption: string; seconds: number; material: string; from: number; to: number };

/** What a panel is cut from; addresses are null where there is no file. */
export type Clip = { /** A found video, or one that a member uploaded. */ type: "material" | "asset"; title: string; platform: string; seconds: number; video: string | null; poster: string | null };

/** The clips of some panels, by the material's id. */
export type Clips = Record<string, Clip>;

export type Board = {
  id: string;
  seq: number;
  run: string;
  version: number;
  /** The board that it is a new version of, "" if of none. */
  base: string;
  title: string;
  panels: Panel[];
  at: Date;
  /** Who changed it by hand, "" if nobody did. */
  editedBy: string;
  editedAt: Date | null;
  rev: number;
  films: number;
  likes: number;
  dislikes: number;
  comments: number;
};

/** A board of the same line: made from it, or it from that. */
export type Kin = { id: string; title: string; version: number; at: Date; films: number };

/** kin: the whole line, newest first, itself among them. */
export type BoardDetail = Board & { clips: Clips; madeInto: Film[]; kin: Kin[]; people: Record<string, string> };
export type BoardPage = { boards: Board[]; clips: Clips; more: boolean };

/** How long a board's film is, in seconds. */
export const lengthOf = (panels: readonly Pick<Panel, "seconds">[]): number => panels.reduce((sum, p) => sum + p.seconds, 0);

/** The second of a film at which each panel begins. */
export const startsOf = (panels: readonly Pick<Panel, "seconds">[]): number[] => panels.map((_, i) => lengthOf(panels.slice(0, i)));

/** The place (from 0) of the panel that plays at a second, -1 if there is none. */
export function panelAt(panels: readonly Pick<Panel, "seconds">[], at: number): number {
  return startsOf(panels).findLastIndex((start) => at >= start - 0.001);
}

export const panelsOf = (panels: Wire["LibraryPanel"][] | null | undefined): Panel[] =>
  (panels ?? []).map((p) => ({ number: p.number, caption: p.caption, seconds: p.seconds, material: p.material ?? "", from: p.from ?? 0, to: p.to ?? 0 }));

const clipOf = (c: Wire["Thumb"]): Clip => ({
  type: c.type,
  title: c.title,
  platform: c.platform ?? "",
  seconds: c.seconds ?? 0,
  video: c.hash ? `/api/media/${c.hash}` : null,
  poster: c.hash && c.poster ? `/api/media/${c.hash}.poster` : null,
});

export const clipsOf = (clips: Record<string, Wire["Thumb"]>): Clips =>
  Object.fromEntries(Object.entries(clips).map(([id, clip]) => [id, clipOf(clip)]));

export const boardOf = (b: Wire["ProjectionsBoard"]): Board => ({
  id: b.board,
  seq: b.seq,
  run: b.run,
  version: b.gene_version,
  base: b.base ?? "",
  title: b.title,
  panels: panelsOf(b.panels),
  at: new Date(b.at),
  editedBy: b.edited_by ?? "",
  editedAt: b.edited_at ? new Date(b.edited_at) : null,
  rev: b.rev,
  films: b.films,
  likes: b.likes,
  dislikes: b.dislikes,
  comments: b.comments,
});

const detailOf = (b: Wire["BoardView"]): BoardDetail => ({
  ...boardOf(b),
  clips: clipsOf(b.materials),
  madeInto: (b.film_list ?? []).map((f) => filmOf(f, b.title)),
  kin: (b.versions ?? []).map((v) => ({ id: v.board, title: v.title, version: v.gene_version, at: new Date(v.at), films: v.films })),
  people: b.people,
});

/** Everything read of an agent's boards. */
export const boardsKey = (agent: string) => ["boards", agent] as const;

const pageSize = 30;

/** Boards, newest first, page by page. */
export const boardsQuery = (agent: string) =>
  infiniteQueryOptions({
    queryKey: [...boardsKey(agent), "list"],
    queryFn: async ({ signal, pageParam, client }): Promise<BoardPage> => {
      const { boards, materials, more } = await api<Wire["BoardsView"]>(read(client, agent, "/boards", { before: pageParam, limit: pageSize }), { signal });
      return { boards: (boards ?? []).map(boardOf), clips: clipsOf(materials), more };
    },
    initialPageParam: 0,
    getNextPageParam: (last) => (last.more ? last.boards.at(-1)?.seq : undefined),
  });

/** One board with its clips and its films. */
export const boardQuery = (agent: string, id: string) =>
  queryOptions({
    queryKey: [...boardsKey(agent), "one", id],
    queryFn: async ({ signal, client }) => detailOf(await api<Wire["BoardView"]>(read(client, agent, `/boards/${encodeURIComponent(id)}`), { signal })),
  });

/** A board as a person writes it. */
export type BoardText = { title: string; panels: Panel[] };

/** Somebody changed the board first: the reason of the refusal. */
export const boardMoved = "board_moved";

/** What a person makes of a board, and what they saw of it. */
export type BoardEdit = { rev: number; was: BoardText; text: BoardText };

export const textOfBoard = ({ title, panels }: Board): BoardText => ({ title, panels });
export const sameText = (a: BoardText, b: BoardText): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * Puts a person's panels in place of the board's. A board that others have only
 * reacted to since is not changed by that, so the edit is sent again on top of it.
 */
export async function editBoard(queries: QueryClient, agent: string, board: string, edit: BoardEdit, command: string): Promise<void> {
  const path = `/api/agents/${encodeURIComponent(agent)}/boards/${encodeURIComponent(board)}`;
  const panels = edit.text.panels.map(({ number, caption, seconds, material, from, to }) => ({ number, caption, seconds, ...(material === "" ? {} : { material, from, to }) }));
  const put = (rev: number) => api<Wire["Done"]>(path, { method: "PUT", command, body: { rev, title: edit.text.title, panels } });
  try {
    const { seq } = await put(edit.rev).catch(async (error: unknown) => {
      if (!(error instanceof Problem) || error.reason !== boardMoved) throw error;
      const now = boardOf(await api<Wire["BoardView"]>(path));
      if (!sameText(textOfBoard(now), edit.was)) throw error;
      return put(now.rev);
    });
    wrote(queries, agent, seq);
  } finally {
    // A refusal too may mean that the board has moved on.
    await queries.invalidateQueries({ queryKey: boardsKey(agent) });
  }
}
