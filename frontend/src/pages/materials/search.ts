import { materialStates, type MaterialFilter, ratings, sources } from "../../services/materials";

/** Where a search by hand may look; "any" leaves it to the searcher. */
const finds = ["any", ...sources] as const;

/** What the address says about this page: the filters, and what is open over it: a material, or the form for another search. */
export type MaterialsSearch = {
  m?: string;
  find?: (typeof finds)[number] | "";
  run?: string;
  version?: number;
  source?: string;
  rating?: string;
  state?: string;
  q?: string;
};

const text = (value: unknown) => (typeof value === "string" ? value.trim().slice(0, 200) : "");

/** Reads an address, whoever wrote it; what makes no sense is left out. */
export function materialsSearch(search: Record<string, unknown>): MaterialsSearch {
  const version = Number(search.version);
  const known: MaterialsSearch = {
    m: text(search.m),
    find: finds.find((f) => f === search.find) ?? "",
    run: text(search.run),
    source: text(search.source),
    rating: ratings.find((r) => r === search.rating) ?? "",
    state: materialStates.find((s) => s === search.state) ?? "",
    q: typeof search.q === "number" ? String(search.q) : text(search.q),
    ...(Number.isInteger(version) && version > 0 ? { version } : {}),
  };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== ""));
}

/** The filters with nothing left open, as the server is asked. */
export function materialFilter(search: MaterialsSearch): MaterialFilter {
  const { run = "", version = 0, source = "", rating = "", state = "", q = "" } = search;
  return { run, version, source, rating, state, q };
}
