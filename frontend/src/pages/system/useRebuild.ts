import { useMutation, useQueryClient } from "@tanstack/react-query";

import { cancelRebuild, refreshSystem, startRebuild } from "../../services/system";

/** Starting and cancelling the rebuild of a read model, or of all. */
export function useRebuild(projection: string, onStarted?: () => void) {
  const queries = useQueryClient();
  // Whatever came of it, the page shows where things stand.
  const onSettled = () => refreshSystem(queries);
  const start = useMutation({ mutationFn: () => startRebuild(projection), onSuccess: () => onStarted?.(), onSettled });
  const cancel = useMutation({ mutationFn: () => cancelRebuild(projection), onSettled });
  return {
    starting: start.isPending,
    cancelling: cancel.isPending,
    error: start.error ?? cancel.error,
    start: () => {
      cancel.reset();
      if (!start.isPending) start.mutate();
    },
    cancel: () => {
      start.reset();
      if (!cancel.isPending) cancel.mutate();
    },
  };
}
