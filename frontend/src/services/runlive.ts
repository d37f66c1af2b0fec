import type { InfiniteData, QueryClient } from "@tanstack/react-query";

import { openStates, progressOf, type Run, type RunPage, runsKey, runStates } from "./runs";
import type { components } from "./schema";
import { wrote } from "./wrote";

/** What a live frame says of a run. */
export type RunFrame = { seq: number; run: string; state: string; attempt?: number; progress?: components["schemas"]["ProjectionsProgress"] };

/**
 * Brings what is loaded to where a frame says that a run is. What the frame does not
 * carry (a new run, its end, its rounds) is read again.
 */
export function followRun(queries: QueryClient, agent: string, frame: RunFrame): void {
  wrote(queries, agent, frame.seq);
  const state = runStates.find((s) => s === frame.state) ?? "running";
  const found = { known: false, moved: false };
  const patch = (run: Run): Run => {
    if (run.id !== frame.run) return run;
    found.known = true;
    found.moved ||= run.state !== state;
    return {
      ...run,
      state,
      open: openStates.includes(state),
      attempt: frame.attempt ?? run.attempt,
      progress: frame.progress ? progressOf(frame.progress) : run.progress,
      lastSign: new Date(),
    };
  };
  queries.setQueriesData<InfiniteData<RunPage>>({ queryKey: [...runsKey(agent), "list"] }, (data) =>
    data ? { ...data, pages: data.pages.map((page) => ({ ...page, runs: page.runs.map(patch) })) } : data,
  );
  queries.setQueriesData<Run[]>({ queryKey: [...runsKey(agent), "open"] }, (runs) => runs?.map(patch));
  const key = found.known && !found.moved ? [...runsKey(agent), "one", frame.run] : runsKey(agent);
  void queries.invalidateQueries({ queryKey: key });
}
