/** What the address says about the agents page: the product, and whether one is being created. */
export type AgentsSearch = { product?: string; create?: true };

export function agentsSearch(search: Record<string, unknown>): AgentsSearch {
  return {
    ...(typeof search.product === "string" ? { product: search.product } : {}),
    ...(search.create === true ? { create: true as const } : {}),
  };
}
