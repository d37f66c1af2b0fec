import type { Source } from "./useSources";

/** Why a choice of sources cannot be. */
export type SourceFault = "missing" | "dead";

/** The sources that an agent uses: those that it names, or all that are configured. */
export function inUse(named: readonly string[], sources: readonly Pick<Source, "name" | "configured">[]): string[] {
  return sources.filter((s) => (named.length > 0 ? named.includes(s.name) : s.configured)).map((s) => s.name);
}

/** What is wrong with a choice; the server takes any that names one at least. */
export function faultOf(chosen: readonly string[], sources: readonly Pick<Source, "name" | "configured">[]): SourceFault | null {
  if (chosen.length === 0) return "missing";
  return sources.some((s) => s.configured && chosen.includes(s.name)) ? null : "dead";
}
