import { faultOf, type SourceFault } from "../../components/source/choice";
import type { Source } from "../../components/source/useSources";
import type { NewAgent } from "../../services/agents";

type Fault = "name_missing" | "name_line" | "search_missing" | "text_long";
export type Faults = { name?: Fault; brief?: Fault; search?: Fault; sources?: SourceFault };

// The server's limits, in characters.
const nameMost = 80;
const textMost = 20_000;

const length = (text: string) => Array.from(text).length;

/** What the server would refuse, told before it is asked. */
export function checkAgent(agent: NewAgent, sources: readonly Source[]): Faults {
  const faults: Faults = {};
  const name = agent.name.trim();
  if (name === "") faults.name = "name_missing";
  else if (length(name) > nameMost || /[\r\n\t]/.test(name)) faults.name = "name_line";
  if (length(agent.brief) > textMost) faults.brief = "text_long";
  if (agent.search.trim() === "") faults.search = "search_missing";
  else if (length(agent.search) > textMost) faults.search = "text_long";
  const chosen = faultOf(agent.sources, sources);
  if (chosen !== null) faults.sources = chosen;
  return faults;
}
