import { useQuery } from "@tanstack/react-query";

import { agentQuery, mayWrite } from "../../services/agents";
import { sessionQuery } from "../../services/session";

/** Whether the reader may decide anything here, as far as the page around knows; the server decides in the end. */
export function useMayWrite(agent: string): boolean {
  const detail = useQuery({ ...agentQuery(agent), enabled: false }).data;
  const session = useQuery({ ...sessionQuery, enabled: false }).data;
  return !detail || !session || mayWrite(detail, session);
}
