import { queryOptions } from "@tanstack/react-query";

import { api } from "./api";
import type { components } from "./schema";

type SessionFromAPI = components["schemas"]["SessionView"];

export type Session = Omit<SessionFromAPI, "products"> & { products: { id: string; name: string }[] };

export type Credentials = { name: string; password: string };

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async ({ signal }): Promise<Session> => {
    const session = await api<SessionFromAPI>("/api/session", { signal });
    return { ...session, products: session.products ?? [] };
  },
  staleTime: 60_000,
});

export async function signIn(credentials: Credentials): Promise<void> {
  await api("/api/session", { method: "POST", body: credentials });
}

export async function signOut(): Promise<void> {
  await api("/api/session", { method: "DELETE" });
}
