import { useQueryClient } from "@tanstack/react-query";

import { Problem } from "../../services/api";
import { type Application, applyCard, refreshCards, type Rejection, rejectCard } from "../../services/cards";
import { winnerOf } from "./status";
import { useCommand } from "./useCommand";

/** What a person can do with a waiting card. A refusal reads the card again: somebody else may have been faster. */
export function useCardCommands(agent: string, card: string) {
  const queries = useQueryClient();
  const refused = async (error: unknown) => {
    if (error instanceof Problem && error.code === "conflict") await refreshCards(queries, agent);
    throw error;
  };
  const apply = useCommand((application: Application, key) => applyCard(queries, agent, card, application, key).catch(refused));
  const reject = useCommand((rejection: Rejection, key) => rejectCard(queries, agent, card, rejection, key).catch(refused));
  const error = apply.error ?? reject.error;
  return {
    /** A command is on its way, or its event is. */
    applying: apply.isPending || apply.isSuccess,
    rejecting: reject.isPending || reject.isSuccess,
    winner: winnerOf(error),
    error,
    apply: (application: Application) => {
      reject.reset();
      apply.mutate(application);
    },
    reject: (rejection: Rejection) => {
      apply.reset();
      reject.mutate(rejection);
    },
    retry: () => {
      if (apply.isError) apply.mutate(apply.variables);
      else if (reject.isError) reject.mutate(reject.variables);
    },
  };
}

export type CardCommands = ReturnType<typeof useCardCommands>;
