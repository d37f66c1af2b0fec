import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";

import { api } from "./api";
import { type Board, boardOf, type Clips, clipsOf } from "./boards";
import { type Media, mediaOf } from "./materials";
import type { components } from "./schema";
import { read } from "./wrote";

type Wire = components["schemas"];

export type Film = {
  id: string;
  seq: number;
  board: string;
  run: string;
  version: number;
  /** Of its board; "" where that was not said. */
  title: string;
  media: Media;
  at: Date;
  downloads: number;
  likes: number;
  dislikes: number;
  comments: number;
};

/** made: its board as it is now, null if that is gone. takes: the films of the whole line, newest first, itself among them. */
export type FilmDetail = Film & { made: Board | null; clips: Clips; takes: Film[] };
/** bases leads from a board to the one it was made from, "" if from none. */
export type FilmPage = { films: Film[]; bases: Record<string, string>; more: boolean };

export const filmOf = (f: Wire["ProjectionsFilm"], title = ""): Film => ({
  id: f.film,
  seq: f.seq,
  board: f.board,
  run: f.run,
  version: f.gene_version,
  title,
  media: mediaOf(f.media),
  at: new Date(f.at),
  downloads: f.downloads,
  likes: f.likes,
  dislikes: f.dislikes,
  comments: f.comments,
});

/** Everything read of an agent's films. */
export const filmsKey = (agent: string) => ["films", agent] as const;

const pageSize = 48;

/** Films, newest first, page by page. */
export const filmsQuery = (agent: string) =>
  infiniteQueryOptions({
    queryKey: [...filmsKey(agent), "list"],
    queryFn: async ({ signal, pageParam, client }): Promise<FilmPage> => {
      const { films, boards, more } = await api<Wire["FilmsView"]>(read(client, agent, "/films", { before: pageParam, limit: pageSize }), { signal });
      return {
        films: (films ?? []).map((f) => filmOf(f, boards[f.board]?.title)),
        bases: Object.fromEntries(Object.entries(boards).map(([id, board]) => [id, board.base ?? ""])),
        more,
      };
    },
    initialPageParam: 0,
    getNextPageParam: (last) => (last.more ? last.films.at(-1)?.seq : undefined),
  });

export const filmQuery = (agent: string, id: string) =>
  queryOptions({
    queryKey: [...filmsKey(agent), "one", id],
    queryFn: async ({ signal, client }): Promise<FilmDetail> => {
      const film = await api<Wire["FilmView"]>(read(client, agent, `/films/${encodeURIComponent(id)}`), { signal });
      return {
        ...filmOf(film, film.title),
        made: film.made_from ? boardOf(film.made_from) : null,
        clips: clipsOf(film.materials),
        takes: (film.versions ?? []).map((v) => filmOf(v, v.title)),
      };
    },
  });

/** Where a film's file is to be had under a name for a disk; null if it has none. */
export const downloadOf = (film: Film): string | null => (film.media.video === null ? null : `${film.media.video}?download=true`);

/** Films of one line of boards, newest first. */
export type Stack = { top: Film; all: Film[] };

/** Puts films of one line of boards together, in the order of their newest. bases leads from a board to the one it was made from. */
export function stacksOf(films: Film[], bases: Record<string, string>): Stack[] {
  const root = (board: string) => {
    let at = board;
    for (let i = 0; i < 100 && bases[at]; i++) at = bases[at] ?? at; // a hostile ring ends too
    return at;
  };
  const stacks = new Map<string, Stack>();
  for (const film of films) {
    const line = root(film.board);
    const stack = stacks.get(line);
    if (stack) stack.all.push(film);
    else stacks.set(line, { top: film, all: [film] });
  }
  return [...stacks.values()];
}
