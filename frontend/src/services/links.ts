import { queryOptions } from "@tanstack/react-query";

import { api } from "./api";
import type { Credentials } from "./session";

/** What a one-time link is for. */
export type Link = { purpose: "first_admin" | "invite"; admin: boolean; products: string[] | null; expires: string };

const pathOf = (token: string) => `/api/links/${encodeURIComponent(token)}`;

export const linkQuery = (token: string) =>
  queryOptions({
    queryKey: ["link", token],
    queryFn: ({ signal }) => api<Link>(pathOf(token), { signal }),
    staleTime: Infinity,
  });

/** Makes the account of the link and signs it in; the link is used up. */
export async function acceptLink(token: string, credentials: Credentials): Promise<void> {
  await api(pathOf(token), { method: "POST", body: credentials });
}
