import type { QueryClient } from "@tanstack/react-query";

// A command answers with the log sequence of what it wrote. Reads that follow pass
// it as min_seq, so that nobody's own change is missing from what they see.

const keyOf = (agent: string) => ["wrote", agent] as const;

/** Notes how far the log went with a command of this page. */
export function wrote(queries: QueryClient, agent: string, seq: number): void {
  queries.setQueryData<number>(keyOf(agent), (old = 0) => Math.max(old, seq));
}

/** A path below an agent with its parameters, and min_seq if this page has written. Empty values are left out. */
export function read(queries: QueryClient, agent: string, path: string, parameters: Record<string, string | number | readonly string[]> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...parameters, min_seq: queries.getQueryData<number>(keyOf(agent)) ?? 0 })) {
    for (const one of Array.isArray(value) ? (value as readonly string[]) : [value]) {
      if (one !== "" && one !== 0) search.append(name, String(one));
    }
  }
  const query = search.toString();
  return `/api/agents/${encodeURIComponent(agent)}${path}${query === "" ? "" : `?${query}`}`;
}
