/** What the address of one board says: the panel that it speaks of. */
export type BoardSearch = { panel?: number };

/** Reads an address, whoever wrote it; what makes no sense is left out. */
export function boardSearch(search: Record<string, unknown>): BoardSearch {
  const panel = Number(search.panel);
  return Number.isInteger(panel) && panel > 0 && panel <= 100 ? { panel } : {};
}
