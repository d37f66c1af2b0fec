/** What the address of one film says: the second that it speaks of. */
export type FilmSearch = { at?: number };

/** Reads an address, whoever wrote it; what makes no sense is left out. */
export function filmSearch(search: Record<string, unknown>): FilmSearch {
  const at = Number(search.at);
  return Number.isFinite(at) && at > 0 && at < 86_400 ? { at } : {};
}
