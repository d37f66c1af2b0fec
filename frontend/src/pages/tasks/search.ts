import { type RunFilter, runStates, triggers, works } from "../../services/runs";

/** What the address says about this page. Lists are joined by commas. */
export type TasksSearch = { run?: string; state?: string; work?: string; trigger?: string; version?: number };

const some = <T extends string>(all: readonly T[], value: unknown): T[] => {
  const asked = typeof value === "string" ? value.split(",") : [];
  return all.filter((one) => asked.includes(one));
};

/** Reads an address, whoever wrote it; what makes no sense is left out. */
export function tasksSearch(search: Record<string, unknown>): TasksSearch {
  const version = Number(search.version);
  const known: TasksSearch = {
    run: typeof search.run === "string" ? search.run : "",
    state: some(runStates, search.state).join(","),
    work: some(works, search.work).join(","),
    trigger: triggers.find((t) => t === search.trigger) ?? "",
    ...(Number.isInteger(version) && version > 0 ? { version } : {}),
  };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== ""));
}

/** The filters as the server is asked. */
export function runFilter(search: TasksSearch): RunFilter {
  return {
    state: some(runStates, search.state),
    work: some(works, search.work),
    trigger: search.trigger ?? "",
    version: search.version ?? 0,
  };
}
