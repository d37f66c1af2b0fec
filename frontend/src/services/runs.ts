import { infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query";

import { api } from "./api";
import type { components } from "./schema";
import { read, wrote } from "./wrote";

type Wire = components["schemas"];

export const runStates = ["requested", "running", "stopping", "worker_lost", "done", "failed", "cancelled"] as const;
export type RunState = (typeof runStates)[number];
export const openStates: readonly RunState[] = ["requested", "running", "stopping", "worker_lost"];

export const works = ["search", "digest", "board", "film", "analyze"] as const;
export type Work = (typeof works)[number];

export const triggers = ["first", "hand", "order", "daily", "gene_check", "threshold", "retry", "budget"] as const;
export type Trigger = (typeof triggers)[number];

/** Ends that another budget can continue. */
const caps = ["rounds", "tokens", "cost", "time"];

/** Tokens by kind; null when a provider did not say. */
export type Usage = { input: number; cacheWrite: number; cacheRead: number; output: number } | null;

export type Progress = { done: number; target: number; unit: string; page: number; pages: number };

export type Ref = { type: string; id: string };

/** What a request cites: an object, or a part of it. */
export type Cite = Ref & { panel: number; from: number; to: number };

export type Run = {
  id: string;
  seq: number;
  work: Work;
  trigger: Trigger;
  state: RunState;
  open: boolean;
  what: string;
  why: string;
  source: string;
  mode: string;
  target: number;
  /** The board that a film is made from, or that a board is a new version of; "" if none. */
  board: string;
  cites: Cite[];
  /** The person who asked, "" if it was the program or the butler. */
  personId: string;
  person: string;
  requestedAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
  lastSign: Date;
  version: number;
  attempt: number;
  lost: number;
  progress: Progress | null;
  cancel: string;
  reason: string;
  summary: string;
  products: Ref[];
  order: string;
  card: string;
  retryOf: string;
  continues: string;
  rounds: number;
  usage: Usage;
  cost: number;
  /** It ended at a cap: another budget continues it. */
  capped: boolean;
};

export type Attempt = {
  attempt: number;
  worker: string;
  startedAt: Date;
  endedAt: Date | null;
  /** "" while it lives, else finished, worker_lost or handed_over. */
  end: string;
  rounds: number;
  usage: Usage;
  cost: number;
};

export type Call = { id: string; tool: string; input: string; output: string; outcome: string; seconds: number };

export type Step = {
  seq: number;
  at: Date;
  attempt: number;
  round: number;
  model: string;
  why: string;
  calls: Call[];
  usage: Usage;
  cost: number;
  folded: boolean;
};

export type RunDetail = Run & { attempts: Attempt[]; steps: Step[] };
export type RunFilter = { state: RunState[]; work: Work[]; trigger: string; version: number };
export type RunPage = { runs: Run[]; more: boolean };

export const progressOf = (p: Wire["ProjectionsProgress"]): Progress => ({ done: p.done, target: p.target ?? 0, unit: p.unit, page: p.page ?? 0, pages: p.pages ?? 0 });

const usageOf = (u: Wire["DomainUsage"]): Usage =>
  u.known ? { input: u.input, cacheWrite: u.cache_write, cacheRead: u.cache_read, output: u.output } : null;

const date = (text: string | undefined) => (text ? new Date(text) : null);

function runOf(t: Wire["ProjectionsTask"], people: Record<string, string> = {}): Run {
  const state = runStates.find((s) => s === t.state) ?? "requested";
  const [role = "", id = ""] = t.requester.split(":");
  const personId = role === "user" ? id : "";
  const open = openStates.includes(state);
  return {
    id: t.run,
    seq: t.seq,
    work: works.find((w) => w === t.work) ?? "search",
    trigger: triggers.find((x) => x === t.trigger) ?? "hand",
    state,
    open,
    what: t.request.what ?? "",
    why: t.request.why ?? "",
    source: t.request.source ?? "",
    mode: t.request.mode ?? "",
    target: t.request.target ?? 0,
    board: t.request.board ?? "",
    cites: (t.request.cites ?? []).map((c) => ({ type: c.type, id: c.id ?? "", panel: c.panel ?? 0, from: c.from ?? 0, to: c.to ?? 0 })),
    personId,
    person: people[personId] ?? "",
    requestedAt: new Date(t.requested_at),
    startedAt: date(t.started_at),
    finishedAt: date(t.finished_at),
    lastSign: new Date(t.last_sign),
    version: t.gene_version,
    attempt: t.attempt,
    lost: t.lost,
    progress: t.progress ? progressOf(t.progress) : null,
    cancel: t.cancel ?? "",
    reason: t.reason ?? "",
    summary: t.summary ?? "",
    products: (t.products ?? []).map((p) => ({ type: p.type, id: p.id ?? "" })),
    order: t.order ?? "",
    card: t.card ?? "",
    retryOf: t.retry_of ?? "",
    continues: t.continues ?? "",
    rounds: t.rounds,
    usage: usageOf(t.usage),
    cost: t.cost_yuan,
    capped: !open && caps.includes(t.reason ?? ""),
  };
}

const detailOf = (d: Wire["ProjectionsTaskDetail"]): RunDetail => ({
  ...runOf(d),
  attempts: (d.attempts ?? []).map((a) => ({
    attempt: a.attempt,
    worker: a.worker.replace(/^worker:/, ""),
    startedAt: new Date(a.started_at),
    endedAt: date(a.ended_at),
    end: a.end ?? "",
    rounds: a.rounds,
    usage: usageOf(a.usage),
    cost: a.cost_yuan,
  })),
  steps: (d.steps ?? []).map((s) => ({
    seq: s.seq,
    at: new Date(s.at),
    attempt: s.attempt,
    round: s.round,
    model: s.model,
    why: s.why ?? "",
    calls: s.calls ?? [],
    usage: usageOf(s.usage),
    cost: s.cost / 1_000_000, // the event counts in millionths of ¥
    folded: s.folded ?? false,
  })),
});

export const runsKey = (agent: string) => ["runs", agent] as const;
const pageSize = 50;

/** Runs, newest first, page by page. */
export const runsQuery = (agent: string, filter: RunFilter) =>
  infiniteQueryOptions({
    queryKey: [...runsKey(agent), "list", filter],
    queryFn: async ({ signal, pageParam, client }): Promise<RunPage> => {
      const view = await api<Wire["RunsView"]>(read(client, agent, "/runs", { ...filter, before: pageParam, limit: pageSize }), { signal });
      const runs = (view.runs ?? []).map((t) => runOf(t, view.people));
      return { runs, more: runs.length === pageSize };
    },
    initialPageParam: 0,
    getNextPageParam: (last) => (last.more ? last.runs.at(-1)?.seq : undefined),
  });

/** The runs of some kind that have not ended. */
export const openRunsQuery = (agent: string, work: Work) =>
  queryOptions({
    queryKey: [...runsKey(agent), "open", work],
    queryFn: async ({ signal, client }) => {
      const view = await api<Wire["RunsView"]>(read(client, agent, "/runs", { state: openStates, work: [work], limit: 20 }), { signal });
      return (view.runs ?? []).map((t) => runOf(t, view.people));
    },
    // Progress comes live; a worker that is lost says nothing.
    refetchInterval: (query) => ((query.state.data?.length ?? 0) > 0 ? 10_000 : false),
  });

export const runQuery = (agent: string, id: string) =>
  queryOptions({
    queryKey: [...runsKey(agent), "one", id],
    queryFn: async ({ signal, client }) => detailOf(await api<Wire["ProjectionsTaskDetail"]>(read(client, agent, `/runs/${encodeURIComponent(id)}`), { signal })),
  });

export type NewSearch = { what: string; source: string; target: number };

/** A board to be written: in words, from cited objects, as a new version of another; each may be left out. */
export type NewBoard = { what: string; base: string; cites: Ref[] };

/** One click of a person. The key stays the same however often it is sent. */
export type RunCommand = { key: string } & (
  | { do: "search"; search: NewSearch }
  | { do: "board"; board: NewBoard }
  | { do: "film"; board: string }
  | { do: "cancel"; run: string }
  | { do: "retry"; run: string; sameGene: boolean }
  | { do: "continue"; run: string }
);

/** Sends a command about a run; answers with the run it started, "" for a cancel. */
export async function commandRun(queries: QueryClient, agent: string, command: RunCommand): Promise<string> {
  const base = `/api/agents/${encodeURIComponent(agent)}/runs`;
  const send = (path: string, body?: unknown) =>
    api<{ run?: string; seq: number }>(base + path, { method: "POST", command: command.key, ...(body === undefined ? {} : { body }) });
  let answer: { run?: string; seq: number };
  switch (command.do) {
    case "search": {
      const { what, source, target } = command.search;
      answer = await send("", { work: "search", what: what || undefined, source: source || undefined, target: target || undefined });
      break;
    }
    case "board": {
      const { what, base, cites } = command.board;
      answer = await send("", { work: "board", what: what || undefined, board: base || undefined, cites: cites.length > 0 ? cites : undefined });
      break;
    }
    case "film":
      answer = await send("", { work: "film", board: command.board });
      break;
    case "retry":
      answer = await send(`/${command.run}/retry`, { same_gene: command.sameGene });
      break;
    default:
      answer = await send(`/${command.run}/${command.do}`);
  }
  wrote(queries, agent, answer.seq);
  return answer.run ?? "";
}
