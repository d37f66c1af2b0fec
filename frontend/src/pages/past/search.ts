/** Which moment is looked at: a gene version (V5), a sequence of the log, or a time. */
export type PastSearch = { at?: string };

export function pastSearch(search: Record<string, unknown>): PastSearch {
  // The address bar's 12 is a number.
  const at = typeof search.at === "number" ? String(search.at) : search.at;
  return typeof at === "string" && at !== "" ? { at } : {};
}
