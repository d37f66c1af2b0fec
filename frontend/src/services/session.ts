import { queryOptions } from "@tanstack/react-query";

import { api } from "./api";
import type { components } from "./schema";

type SessionFromAPI = components["schemas"]["SessionView"];

/** What is said of work before somebody asks for it: money in ¥, times in minutes. */
export type Limits = { runCost: number; competitorSearches: number; competitorMinutes: number; hotMinutes: number };

/** A source as this deployment has it. */
export type Searchable = {
  name: string;
  /** A search there can find something. */
  configured: boolean;
  /** Searched besides the product's own catalogue, and paid by the request. */
  platforms: string[];
  /** Of one search in ¥; 0 if none is stated. */
  price: number;
};

export type Session = Omit<SessionFromAPI, "products" | "limits" | "sources"> & { products: { id: string; name: string }[]; limits: Limits; sources: Searchable[] };

export type Credentials = { name: string; password: string };

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async ({ signal }): Promise<Session> => {
    const session = await api<SessionFromAPI>("/api/session", { signal });
    const { run_cost_yuan, competitor_searches, competitor_minutes, hot_minutes } = session.limits;
    return {
      ...session,
      products: session.products ?? [],
      limits: { runCost: run_cost_yuan, competitorSearches: competitor_searches, competitorMinutes: competitor_minutes, hotMinutes: hot_minutes },
      sources: (session.sources ?? []).map((s) => ({ name: s.name, configured: s.configured, platforms: s.platforms ?? [], price: s.price_yuan ?? 0 })),
    };
  },
  staleTime: 60_000,
});

export async function signIn(credentials: Credentials): Promise<void> {
  await api("/api/session", { method: "POST", body: credentials });
}

export async function signOut(): Promise<void> {
  await api("/api/session", { method: "DELETE" });
}
