import { type QueryClient, queryOptions } from "@tanstack/react-query";

import { api } from "./api";
import type { components } from "./schema";
import type { Session } from "./session";
import { wrote } from "./wrote";

type AgentFromAPI = components["schemas"]["ProjectionsAgent"];
type AgentViewFromAPI = components["schemas"]["AgentView"];

export type Agent = {
  id: string;
  product: string;
  name: string;
  brief: string;
  sources: string[];
  geneVersion: number;
  lastActivity: Date;
  /** Cards and orders that wait for somebody's decision. */
  waiting: number;
  running: number;
};

/** An agent with what its own pages need. */
export type AgentDetail = Agent & {
  archived: boolean;
  /** The caller's, empty for an administrator without one. */
  role: string;
  /** Names of the creator and the members, by id. */
  people: Record<string, string>;
  counts: { materials: number; fresh: number; boards: number; films: number };
  /** Of the caller: read up to seq, unread rows after it. */
  read: { seq: number; unread: number };
};

const agentOf = (a: AgentFromAPI): Agent => ({
  id: a.agent,
  product: a.product,
  name: a.name,
  brief: a.brief,
  sources: a.sources ?? [],
  geneVersion: a.gene_version,
  lastActivity: new Date(a.last_activity),
  waiting: a.waiting_cards + a.waiting_orders,
  running: a.running_tasks,
});

const detailOf = (a: AgentViewFromAPI): AgentDetail => ({
  ...agentOf(a),
  archived: a.archived,
  role: a.role,
  people: a.people,
  counts: { materials: a.counts.materials, fresh: a.counts.new, boards: a.counts.boards, films: a.counts.films },
  read: a.read,
});

/** The product's agents, archived ones left out. */
export const agentsQuery = (product: string) =>
  queryOptions({
    queryKey: ["agents", product],
    queryFn: async ({ signal }) => {
      const { agents } = await api<components["schemas"]["AgentsView"]>(`/api/agents?product=${encodeURIComponent(product)}`, { signal });
      return (agents ?? []).filter((a) => !a.archived).map(agentOf);
    },
    refetchInterval: 5_000,
  });

export const agentPath = (id: string) => `/api/agents/${encodeURIComponent(id)}`;

/** One agent; live frames make it read again, the interval is for what they miss. minSeq: as a command answered it. */
export const agentQuery = (id: string, minSeq = 0) =>
  queryOptions({
    queryKey: ["agent", id],
    queryFn: async ({ signal }) => detailOf(await api<AgentViewFromAPI>(`${agentPath(id)}${minSeq > 0 ? `?min_seq=${minSeq}` : ""}`, { signal })),
    refetchInterval: 30_000,
  });

/** Whether the person may change things in the room; the server has the last word. */
export function mayWrite(agent: AgentDetail, session: Session): boolean {
  return !agent.archived && (session.user.admin || agent.role === "creator" || agent.role === "member");
}

export type NewAgent = { name: string; brief: string; search: string; sources: string[] };

/** Opens an agent with its gene and its first search. */
export function createAgent(product: string, agent: NewAgent, command: string): Promise<components["schemas"]["CreatedAgent"]> {
  return api(`/api/agents?product=${encodeURIComponent(product)}`, { method: "POST", body: agent, command });
}

/** Sets where an agent searches, and reads the agent as it is then. */
export async function editSources(queries: QueryClient, id: string, sources: string[], command: string): Promise<void> {
  const { seq } = await api<components["schemas"]["Done"]>(agentPath(id), { method: "PATCH", body: { sources }, command });
  wrote(queries, id, seq);
  await queries.query(agentQuery(id, seq)).catch(() => undefined); // the page reads it anew
}
