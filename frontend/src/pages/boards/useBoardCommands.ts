import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { useCommand } from "../../components/card/useCommand";
import { type BoardEdit, type BoardText, editBoard } from "../../services/boards";
import { commandRun, runsKey } from "../../services/runs";

/** What can be done with one board. before leads back to what it was before this page changed it, as long as that can be undone. */
export function useBoardCommands(agent: string, id: string, onDone: () => void) {
  const queries = useQueryClient();
  const [before, setBefore] = useState<{ was: BoardText; text: BoardText } | null>(null);
  const edit = useCommand(
    (change: BoardEdit, key) => editBoard(queries, agent, id, change, key).then(() => change),
    ({ was, text }) => {
      setBefore({ was: text, text: was });
      onDone();
    },
  );
  const undo = useCommand((change: BoardEdit, key) => editBoard(queries, agent, id, change, key), () => { setBefore(null); });
  const started = () => {
    void queries.invalidateQueries({ queryKey: runsKey(agent) });
    onDone();
  };
  const again = useCommand((what: string, key) => commandRun(queries, agent, { key, do: "board", board: { what, base: id, cites: [] } }), started);
  const film = useCommand((board: string, key) => commandRun(queries, agent, { key, do: "film", board }), started);
  return { edit, undo, again, film, before };
}
