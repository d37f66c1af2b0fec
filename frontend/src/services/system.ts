import { queryOptions } from "@tanstack/react-query";

import { api } from "./api";

export type ProjectionStatus = "building" | "running" | "diverged" | "failed";

export type Projection = { name: string; position: number; lag: number; status: ProjectionStatus; parked: number };

export type System = { log: { last: number }; projections: Projection[] };

export const systemQuery = queryOptions({
  queryKey: ["system"],
  queryFn: ({ signal }) => api<System>("/api/system", { signal }),
  refetchInterval: 5_000,
});
