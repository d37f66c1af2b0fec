import { type QueryClient, queryOptions } from "@tanstack/react-query";

import { api } from "./api";
import { refOf } from "./cards";
import type { components } from "./schema";
import { read, wrote } from "./wrote";

type Wire = components["schemas"];

/** An order as a row of the room carries it. */
export type OrderState = Wire["ProjectionsRowOrderState"];

export type Order = {
  id: string;
  state: string;
  work: string;
  what: string;
  why: string;
  source: string;
  mode: string;
  board: string;
  cites: ReturnType<typeof refOf>[];
  /** How many are wanted, 0 when not said. */
  target: number;
  /** Expected cost in ¥, 0 when not said. */
  cost: number;
  by: string;
  proposedAt: Date;
  expires: Date;
  closedBy: string;
  closedAt: Date | null;
  /** The run that a confirmed order became. */
  run: string;
  /** Why it was declined. */
  reason: string;
};

export function orderOf(o: OrderState): Order {
  const { request } = o;
  return {
    id: o.order,
    state: o.state,
    work: o.work,
    what: request.what ?? "",
    why: request.why ?? "",
    source: request.source ?? "",
    mode: request.mode ?? "",
    board: request.board ?? "",
    cites: (request.cites ?? []).map(refOf),
    target: request.target ?? 0,
    cost: (request.cost_hint ?? 0) / 1_000_000, // sent in millionths
    by: o.by,
    proposedAt: new Date(o.proposed_at),
    expires: new Date(o.expires),
    closedBy: o.closed_by ?? "",
    closedAt: o.closed_at === undefined ? null : new Date(o.closed_at),
    run: o.run ?? "",
    reason: o.state === "declined" ? (o.why ?? "") : "",
  };
}

/** An order was closed by somebody else first: the reason of the refusal. */
export const orderClosed = "order_closed";

export const ordersKey = (agent: string) => ["orders", agent] as const;

/** One order. seen is the state that the room shows. */
export const orderQuery = (agent: string, id: string) =>
  queryOptions({
    queryKey: [...ordersKey(agent), "one", id],
    queryFn: async ({ signal, client }) => orderOf(await api<Wire["ProjectionsOrder"]>(read(client, agent, `/orders/${encodeURIComponent(id)}`), { signal })),
    staleTime: 60_000,
  });

const at = (agent: string, order: string, verb: string) => `/api/agents/${encodeURIComponent(agent)}/orders/${encodeURIComponent(order)}/${verb}`;

/** A nod to the cost: the run is asked for. */
export async function confirmOrder(queries: QueryClient, agent: string, order: string, command: string): Promise<void> {
  const { seq } = await api<Wire["Asked"]>(at(agent, order, "confirm"), { method: "POST", command });
  await closed(queries, agent, seq);
}

export async function declineOrder(queries: QueryClient, agent: string, order: string, reason: string, command: string): Promise<void> {
  const { seq } = await api<Wire["Done"]>(at(agent, order, "decline"), { method: "POST", command, body: reason ? { reason } : {} });
  await closed(queries, agent, seq);
}

async function closed(queries: QueryClient, agent: string, seq: number): Promise<void> {
  wrote(queries, agent, seq);
  await queries.invalidateQueries({ queryKey: ordersKey(agent) });
}
