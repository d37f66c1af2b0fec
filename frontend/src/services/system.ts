import { type QueryClient, queryOptions } from "@tanstack/react-query";

import { api } from "./api";
import type { components } from "./schema";

type Wire = components["schemas"];

export const statuses = ["building", "running", "diverged", "failed"] as const;
export type Status = (typeof statuses)[number];

export const purposes = ["rebuild", "verify", "at"] as const;

/** Something that is being built of a read model, or stopped half-way. */
export type Build = {
  generation: number;
  purpose: (typeof purposes)[number];
  state: "running" | "stopped" | "cancelled";
  seq: number;
  target: number;
  /** Events a second and seconds left; 0: not known. */
  rate: number;
  eta: number;
  process: string;
  error: string;
};

export type Projection = {
  name: string;
  version: number;
  generation: number;
  position: number;
  /** Events that are not applied yet. */
  lag: number;
  status: Status;
  error: string;
  /** Agents whose events wait. */
  parked: number;
  builds: Build[];
};

/** An agent whose event a read model cannot use. */
export type Parked = { projection: string; product: string; agent: string; agentName: string; seq: number; type: string; error: string; waiting: number };

export type System = { last: number; projections: Projection[]; parked: Parked[] };

export const systemKey = ["system"] as const;

const buildOf = (b: Wire["BuildView"]): Build => ({
  generation: b.generation,
  purpose: purposes.find((p) => p === b.purpose) ?? "rebuild",
  state: b.state,
  seq: b.seq,
  target: b.target,
  rate: b.rate,
  eta: b.eta,
  process: b.process ?? "",
  error: b.error ?? "",
});

/** Whether something is being built: then one looks every second. */
export const isBuilding = (s: System | undefined) => s?.projections.some((p) => p.builds.some((b) => b.state !== "stopped")) ?? false;

export const systemQuery = queryOptions({
  queryKey: systemKey,
  queryFn: async ({ signal }): Promise<System> => {
    const s = await api<Wire["SystemView"]>("/api/system", { signal });
    return {
      last: s.log.last,
      projections: (s.projections ?? []).map((p) => ({
        name: p.name,
        version: p.version,
        generation: p.generation,
        position: p.position,
        lag: p.lag,
        status: statuses.find((word) => word === p.status) ?? "failed",
        error: p.error ?? "",
        parked: p.parked,
        builds: (s.builds ?? []).filter((b) => b.projection === p.name).map(buildOf),
      })),
      parked: (s.parked ?? []).map((p) => ({
        projection: p.projection,
        product: p.product,
        agent: p.agent,
        agentName: p.agent_name,
        seq: p.seq,
        type: p.type,
        error: p.error,
        waiting: p.waiting,
      })),
    };
  },
  refetchInterval: (query) => (isBuilding(query.state.data) ? 1_000 : 5_000),
});

/** Lasting ones have a name that somebody gave them; the others follow the stream while their process lives. */
export type Consumer = { name: string; lasting: boolean; pending: number; inWork: number; redelivered: number; idle: number };
export type Stream = { name: string; messages: number; bytes: number; first: number; last: number; consumers: Consumer[] };

export const streamsQuery = queryOptions({
  queryKey: [...systemKey, "streams"],
  queryFn: async ({ signal }): Promise<Stream[]> => {
    const { streams } = await api<Wire["StreamsView"]>("/api/system/streams", { signal });
    return (streams ?? []).map((s) => ({
      name: s.name,
      messages: s.messages,
      bytes: s.bytes,
      first: s.first,
      last: s.last,
      consumers: (s.consumers ?? [])
        .map((c) => ({ name: c.name, lasting: !/^\w{22}_\d+$/.test(c.name), pending: c.pending, inWork: c.ack_pending, redelivered: c.redelivered, idle: c.waiting }))
        .sort((a, b) => Number(b.lasting) - Number(a.lasting)),
    }));
  },
  refetchInterval: 5_000,
});

export const works = ["butler", "search", "board", "film", "analyze"] as const;

/** Work that waits, or that somebody does. */
export type Slot = {
  work: (typeof works)[number] | null;
  agent: string;
  agentName: string;
  /** The run it is about, or the answer; "" if that is not known. */
  run: string;
  turn: string;
  state: "waiting" | "working" | "silent";
  worker: string;
  attempt: number;
  offeredAt: Date;
  startedAt: Date | null;
};

/** alive: seconds within which a worker must give a sign of life. */
export type WorkInHand = { slots: Slot[]; waiting: number; working: number; more: number; alive: number };

export const workQuery = queryOptions({
  queryKey: [...systemKey, "work"],
  queryFn: async ({ signal }): Promise<WorkInHand> => {
    const w = await api<Wire["WorkView"]>("/api/system/work", { signal });
    return {
      slots: (w.slots ?? []).map((s) => ({
        work: works.find((word) => word === s.work) ?? null,
        agent: s.agent,
        agentName: s.agent_name,
        run: s.run ?? "",
        turn: s.turn ?? "",
        state: s.state,
        worker: s.worker ?? "",
        attempt: s.attempt ?? 0,
        offeredAt: new Date(s.offered_at),
        startedAt: s.started_at ? new Date(s.started_at) : null,
      })),
      waiting: w.waiting,
      working: w.working,
      more: w.more,
      alive: w.alive,
    };
  },
  refetchInterval: 5_000,
});

export type SourceState = Wire["SourceView"]["state"];

export const sourceKinds = ["search", "competitor", "hot", "video", "render"] as const;

/** An outside service, and how it has been. Dates are null where nothing of the kind has happened. */
export type Source = {
  name: string;
  kind: (typeof sourceKinds)[number] | null;
  state: SourceState;
  since: Date | null;
  lastOk: Date | null;
  lastError: string;
  lastErrorAt: Date | null;
  calls: number;
  failures: number;
  /** ¥ */
  cost: number;
  /** When it is tried again. */
  until: Date | null;
};

/** A paid call that nobody knows the end of: it may have been charged, so it is not repeated. */
export type UnknownCall = { key: string; kind: string; agent: string; agentName: string; run: string; attempt: number; worker: string; error: string; at: Date };

export type Sources = { sources: Source[]; unknown: UnknownCall[]; unknownTotal: number };

export const sourcesQuery = queryOptions({
  queryKey: [...systemKey, "sources"],
  queryFn: async ({ signal }): Promise<Sources> => {
    const s = await api<Wire["SourcesView"]>("/api/system/sources", { signal });
    const date = (text: string | undefined) => (text ? new Date(text) : null);
    const unknown = (s.unknown ?? []).map((u) => ({
      key: u.key,
      kind: u.kind,
      agent: u.agent,
      agentName: u.agent_name,
      run: u.run ?? "",
      attempt: u.attempt,
      worker: u.worker,
      error: u.error,
      at: new Date(u.intended_at),
    }));
    return {
      sources: (s.sources ?? []).map((one) => ({
        name: one.name,
        kind: sourceKinds.find((k) => k === one.kind) ?? null,
        state: one.state,
        since: date(one.since),
        lastOk: date(one.last_ok),
        lastError: one.last_error ?? "",
        lastErrorAt: date(one.last_error_at),
        calls: one.calls,
        failures: one.failures,
        cost: one.cost_yuan,
        until: date(one.until),
      })),
      unknown,
      unknownTotal: s.unknown_total,
    };
  },
  refetchInterval: 5_000,
});

/** Stands for every read model. */
export const all = "all";

const rebuildPath = (projection: string) => `/api/system/projections/${encodeURIComponent(projection)}/rebuild`;

/** Starts a rebuild, or goes on with one that stopped. It runs on the server. */
export const startRebuild = (projection: string) => api(rebuildPath(projection), { method: "POST" });

/** Stops a rebuild, whoever runs it, and throws away what it has built. */
export const cancelRebuild = (projection: string) => api(rebuildPath(projection), { method: "DELETE" });

/** Applies the waiting events of an agent. */
export const retryParked = ({ projection, product, agent }: Pick<Parked, "projection" | "product" | "agent">) =>
  api("/api/system/parked/retry", { method: "POST", body: { projection, product, agent } });

/** Reads the read models again. */
export const refreshSystem = (queries: QueryClient) => queries.invalidateQueries({ queryKey: systemKey, exact: true });
