import { type InfiniteData, infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query";

import { api } from "./api";
import type { components } from "./schema";
import { read } from "./wrote";

type Wire = components["schemas"];

export const ratings = ["high", "medium", "low"] as const;
export type Rating = (typeof ratings)[number];

export const materialStates = ["new", "seen", "ignored", "adopted"] as const;
export type MaterialState = (typeof materialStates)[number];

/** Where the searcher looks. */
export const sources = ["fast", "competitor", "hot"] as const;

/** The sections of a digest, in the order they are read. */
export const sections = ["shot_rhythm", "spoken_hook", "captions", "highlight", "verdict"] as const;
export type Section = (typeof sections)[number];

/** Addresses of the files; null where there is none. */
export type Media = {
  video: string | null;
  poster: string | null;
  preview: string | null;
  seconds: number;
  width: number;
  height: number;
  sound: boolean;
};

export type Metrics = {
  shots: number;
  averageShot: number;
  cutsPerMinute: number;
  firstCut: number | null;
  cutsFirst3s: number;
  motion: number;
  loudness: number | null;
  silence: number | null;
  aspect: string;
};

export type Analysis = {
  analyser: string;
  /** The text of each section; null where the analyser could not know. */
  sections: Record<Section, string | null>;
  metrics: Metrics | null;
  report: string;
  at: Date;
};

export type Material = {
  id: string;
  seq: number;
  run: string;
  version: number;
  source: string;
  title: string;
  author: string;
  platform: string;
  url: string;
  tags: string[];
  counts: { plays: number; likes: number; shares: number; comments: number };
  published: Date | null;
  savedAt: Date;
  media: Media;
  /** Seconds of the first frame after each cut. */
  cuts: number[];
  why: string;
  analysis: Analysis | null;
  rating: Rating | null;
  state: MaterialState;
  boards: number;
  films: number;
  likes: number;
  dislikes: number;
  comments: number;
};

export type MaterialDetail = Material & {
  usedIn: { boards: { id: string; title: string; version: number; at: Date; panels: number[] }[]; films: { id: string; version: number; at: Date }[] };
};

export type MaterialFilter = { run: string; version: number; source: string; rating: string; state: string; q: string };
export type MaterialPage = { materials: Material[]; more: boolean };

export const mediaOf = (m: Wire["LibraryMedia"]): Media => {
  const file = m.hash ? `/api/media/${m.hash}` : null;
  return {
    video: file,
    poster: file && m.poster ? `${file}.poster` : null,
    preview: file && m.preview ? `${file}.preview` : null,
    seconds: m.seconds ?? 0,
    width: m.width ?? 0,
    height: m.height ?? 0,
    sound: m.has_sound ?? false,
  };
};

function analysisOf(a: Wire["ProjectionsAnalysis"]): Analysis {
  const { digest, metrics } = a;
  const missing = new Set(digest.missing ?? []);
  const text = (section: Section, value: string) => (missing.has(section) || value.trim() === "" ? null : value);
  return {
    analyser: a.analyser,
    sections: {
      shot_rhythm: text("shot_rhythm", digest.shot_rhythm),
      spoken_hook: text("spoken_hook", digest.spoken_hook),
      captions: text("captions", digest.captions),
      highlight: text("highlight", digest.highlight_why ?? digest.highlight),
      verdict: text("verdict", digest.verdict),
    },
    metrics: metrics
      ? {
          shots: metrics.shot_count,
          averageShot: metrics.average_shot,
          cutsPerMinute: metrics.cuts_per_minute,
          firstCut: metrics.first_cut ?? null,
          cutsFirst3s: metrics.cuts_first_3s,
          motion: metrics.motion,
          loudness: metrics.loudness_lufs,
          silence: metrics.silence_ratio,
          aspect: metrics.aspect,
        }
      : null,
    report: a.report ?? "",
    at: new Date(a.at),
  };
}

export const materialOf = (m: Wire["ProjectionsMaterial"]): Material => ({
  id: m.material,
  seq: m.seq,
  run: m.run,
  version: m.gene_version,
  source: m.source,
  title: m.title,
  author: m.author ?? "",
  platform: m.platform ?? "",
  url: m.url ?? "",
  tags: m.tags ?? [],
  counts: { plays: m.counts.plays ?? 0, likes: m.counts.likes ?? 0, shares: m.counts.shares ?? 0, comments: m.counts.comments ?? 0 },
  published: m.published ? new Date(m.published) : null,
  savedAt: new Date(m.saved_at),
  media: mediaOf(m.media),
  cuts: m.analysis?.metrics?.cuts ?? [],
  why: m.why ?? "",
  analysis: m.analysis ? analysisOf(m.analysis) : null,
  rating: ratings.find((r) => r === m.rating) ?? null,
  state: materialStates.find((s) => s === m.state) ?? "new",
  boards: m.boards,
  films: m.films,
  likes: m.likes,
  dislikes: m.dislikes,
  comments: m.comments,
});

const detailOf = (m: Wire["MaterialView"]): MaterialDetail => ({
  ...materialOf(m),
  usedIn: {
    boards: (m.use.boards ?? []).map((b) => ({
      id: b.board,
      title: b.title,
      version: b.gene_version,
      at: new Date(b.at),
      panels: (b.panels ?? []).filter((p) => p.material === m.material).map((p) => p.number),
    })),
    films: (m.use.films ?? []).map((f) => ({ id: f.film, version: f.gene_version, at: new Date(f.at) })),
  },
});

/** Everything read of an agent's materials, to invalidate or patch at once. */
export const materialsKey = (agent: string) => ["materials", agent] as const;
export const materialListKey = (agent: string) => [...materialsKey(agent), "list"] as const;

const pageSize = 48; // fills rows of 2, 3, 4 and 6

/** Materials, newest first, page by page. */
export const materialsQuery = (agent: string, filter: MaterialFilter) =>
  infiniteQueryOptions({
    queryKey: [...materialListKey(agent), filter],
    queryFn: async ({ signal, pageParam, client }): Promise<MaterialPage> => {
      const path = read(client, agent, "/materials", { ...filter, before: pageParam, limit: pageSize });
      const { materials, more } = await api<Wire["MaterialsView"]>(path, { signal });
      return { materials: (materials ?? []).map(materialOf), more };
    },
    initialPageParam: 0,
    getNextPageParam: (last) => (last.more ? last.materials.at(-1)?.seq : undefined),
  });

/** One material with its report and where it was used. */
export const materialQuery = (agent: string, id: string) =>
  queryOptions({
    queryKey: [...materialsKey(agent), "one", id],
    queryFn: async ({ signal, client }) => detailOf(await api<Wire["MaterialView"]>(read(client, agent, `/materials/${encodeURIComponent(id)}`), { signal })),
  });

/** A material as some loaded list has it. */
export function knownMaterial(queries: QueryClient, agent: string, id: string): Material | undefined {
  for (const [, data] of queries.getQueriesData<InfiniteData<MaterialPage>>({ queryKey: materialListKey(agent) })) {
    for (const page of data?.pages ?? []) {
      const found = page.materials.find((m) => m.id === id);
      if (found) return found;
    }
  }
  return undefined;
}

/** Shows a state in the loaded lists before the server is asked again. A material stays where it is, whatever the filter. */
export function showState(queries: QueryClient, agent: string, id: string, state: MaterialState): void {
  queries.setQueriesData<InfiniteData<MaterialPage>>({ queryKey: materialListKey(agent) }, (data) => {
    if (!data?.pages.some((page) => page.materials.some((m) => m.id === id && m.state !== state))) return data;
    return { ...data, pages: data.pages.map((page) => ({ ...page, materials: page.materials.map((m) => (m.id === id ? { ...m, state } : m)) })) };
  });
}
