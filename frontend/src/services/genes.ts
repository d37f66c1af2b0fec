import { type QueryClient, queryOptions } from "@tanstack/react-query";

import { api } from "./api";
import type { components } from "./schema";
import { read, wrote } from "./wrote";

type Wire = components["schemas"];

/** The two texts of a gene, in the order they are read. */
export const documents = ["search", "steer"] as const;
export type Document = (typeof documents)[number];

/** What a version consists of. */
export const parts = [...documents, "constraints"] as const;
export type Part = (typeof parts)[number];

export const partsOf = (names: readonly string[] | null | undefined): Part[] => parts.filter((part) => names?.includes(part));

/** 0 seconds and no aspect: not limited. */
export type Constraints = { maxFilmSeconds: number; aspect: string };

export const aspects = ["9:16", "4:5", "1:1", "16:9"] as const;

/** Full texts of a version, or of what somebody makes of it. */
export type Texts = { search: string; steer: string; constraints: Constraints };

/** Names of people by their id. */
export type People = Record<string, string>;

/** A line that is not blank. Own are a person's words in it, which stay. */
export type Line = { n: number; text: string; by: string; own: string };

export type Gene = Texts & { version: number; lines: Record<Document, Line[]>; people: People };

export const origins = ["created", "card", "edit", "rollback"] as const;
export type Origin = (typeof origins)[number];

export type Version = Texts & {
  version: number;
  origin: Origin;
  summary: string;
  /** Who minted it, and who proposed its card ("" if none). */
  by: string;
  proposedBy: string;
  card: string;
  rolledBackTo: number;
  at: Date;
};

export type Versions = { list: Version[]; people: People };

export const constraintsOf = (c: Wire["DomainConstraints"] | undefined): Constraints => ({ maxFilmSeconds: c?.max_film_seconds ?? 0, aspect: c?.aspect ?? "" });

const toWire = (c: Constraints): Wire["DomainConstraints"] => ({ ...(c.maxFilmSeconds > 0 ? { max_film_seconds: c.maxFilmSeconds } : {}), ...(c.aspect ? { aspect: c.aspect } : {}) });

/** The parts of texts that an edit changes, as commands send them. */
export const editToWire = (edit: Partial<Texts>) => ({
  ...(edit.search === undefined ? {} : { search: edit.search }),
  ...(edit.steer === undefined ? {} : { steer: edit.steer }),
  ...(edit.constraints === undefined ? {} : { constraints: toWire(edit.constraints) }),
});

const linesOf = (d: Wire["DocumentView"]): Line[] => (d.lines ?? []).map((l) => ({ n: l.n, text: l.text, by: l.by, own: l.own ?? "" }));

const isOrigin = (word: string): word is Origin => origins.some((o) => o === word);

export const versionOf = (v: Wire["ProjectionsGeneVersion"]): Version => ({
  version: v.version,
  search: v.search,
  steer: v.steer,
  constraints: constraintsOf(v.constraints),
  origin: isOrigin(v.origin) ? v.origin : "created",
  summary: v.summary,
  by: v.by,
  proposedBy: v.proposed_by ?? "",
  card: v.card ?? "",
  rolledBackTo: v.rolled_back_to ?? 0,
  at: new Date(v.at),
});

export const genesKey = (agent: string) => ["genes", agent] as const;

/** A version with each line's author; 0 is the current one. */
export const geneQuery = (agent: string, version = 0) =>
  queryOptions({
    queryKey: [...genesKey(agent), "gene", version],
    queryFn: async ({ signal, client }): Promise<Gene> => {
      const g = await api<Wire["GeneView"]>(read(client, agent, "/gene", { version }), { signal });
      return {
        version: g.version,
        search: g.search.text,
        steer: g.steer.text,
        constraints: constraintsOf(g.constraints),
        lines: { search: linesOf(g.search), steer: linesOf(g.steer) },
        people: g.people,
      };
    },
    staleTime: version > 0 ? Infinity : 10_000, // a version never changes
  });

/** All versions, newest first. */
export const versionsQuery = (agent: string) =>
  queryOptions({
    queryKey: [...genesKey(agent), "versions"],
    queryFn: async ({ signal, client }): Promise<Versions> => {
      const v = await api<Wire["VersionsView"]>(read(client, agent, "/gene/versions"), { signal });
      const people = { ...v.people };
      return { list: (v.versions ?? []).map(versionOf), people };
    },
    staleTime: 10_000,
  });

/** The gene moved on under an edit or a rollback: the reason of the refusal. */
export const baseMoved = "base_moved";

export type Minted = { version: number; seq: number };

const at = (agent: string, path: string) => `/api/agents/${encodeURIComponent(agent)}${path}`;

/** A person's own texts become the next version. Only what differs is sent. */
export async function editGene(queries: QueryClient, agent: string, edit: { base: number; change: Partial<Texts>; summary: string }, command: string): Promise<Minted> {
  const body = { base_version: edit.base, ...editToWire(edit.change), ...(edit.summary ? { summary: edit.summary } : {}) };
  return after(queries, agent, await api<Minted>(at(agent, "/gene/edit"), { method: "POST", command, body }));
}

/** A new version equal to an old one. */
export async function rollBack(queries: QueryClient, agent: string, to: { base: number; to: number }, command: string): Promise<Minted> {
  return after(queries, agent, await api<Minted>(at(agent, "/gene/rollback"), { method: "POST", command, body: { base_version: to.base, to: to.to } }));
}

async function after(queries: QueryClient, agent: string, minted: Minted): Promise<Minted> {
  wrote(queries, agent, minted.seq);
  await queries.invalidateQueries({ queryKey: genesKey(agent) });
  return minted;
}
