import { useMutation, useQueryClient } from "@tanstack/react-query";

import { ulid } from "../../services/api";
import { type Feedback, feedbackKey, type ObjectRef, react, withdraw } from "../../services/feedback";
import { boardsKey } from "../../services/boards";
import { filmsKey } from "../../services/films";
import { materialsKey } from "../../services/materials";
import type { ReactionChange } from "./Reactions";

type Click = { key: string; undoKey: string; change: ReactionChange | null; replaces: string };

/** Reacting to one object: at most one command on its way, each click with its own key. */
export function useReaction(agent: string, object: ObjectRef, mine: Feedback | undefined) {
  const queries = useQueryClient();
  const click = useMutation({
    mutationFn: ({ key, undoKey, change, replaces }: Click) =>
      change === null ? withdraw(queries, agent, replaces, key) : react(queries, agent, { key, undoKey, object, ...change, replaces }).then(() => undefined),
    // Also after a failure: of two commands the first may have been carried out.
    onSettled: async () => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: feedbackKey(agent) }),
        // The list counts comments, so a tile would tell less than was just said.
        queries.invalidateQueries({ queryKey: object.type === "board" ? boardsKey(agent) : object.type === "film" ? filmsKey(agent) : materialsKey(agent) }),
      ]);
    },
  });
  // What was settled in a version stands; a new word comes beside it.
  const replaces = mine !== undefined && mine.state !== "settled" ? mine.id : "";
  return {
    busy: click.isPending,
    error: click.error,
    change: (change: ReactionChange) => { click.mutate({ key: ulid(), undoKey: ulid(), change, replaces }); },
    undo: () => {
      if (replaces !== "") click.mutate({ key: ulid(), undoKey: "", change: null, replaces });
    },
  };
}
