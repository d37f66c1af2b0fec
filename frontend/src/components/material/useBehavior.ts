import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useSyncExternalStore } from "react";

import { knownMaterial, showState } from "../../services/materials";
import { makeAttention } from "./attention";

/** The reader's attention to an agent's materials. All callbacks keep their identity. */
export function useBehavior(agent: string) {
  const queries = useQueryClient();
  const attention = useMemo(
    () =>
      makeAttention(agent, {
        stateOf: (id) => knownMaterial(queries, agent, id)?.state,
        show: (id, state) => { showState(queries, agent, id, state); },
      }),
    [agent, queries],
  );
  useEffect(() => attention.start(), [attention]);
  const dismissed = useSyncExternalStore(attention.subscribe, attention.dismissed);
  return { ...attention, dismissed };
}
