import { useQueryClient } from "@tanstack/react-query";
import { createContext, useContext, useEffect, useMemo, useState } from "react";

import { useRoomFrames } from "../../live/useRoom";
import { boardsKey } from "../../services/boards";
import { feedbackKey } from "../../services/feedback";
import { filmsKey } from "../../services/films";
import { followRun } from "../../services/runlive";
import { runsKey } from "../../services/runs";

export type Made = { type: "board" | "film"; id: string };
type News = { made: Made | null; forget: () => void };

export const MadeContext = createContext<News>({ made: null, forget: () => undefined });

/**
 * Keeps runs, boards and films in step with the room, whichever page is open, and
 * remembers what was made last until somebody has seen it.
 */
export function useFollowRuns(agent: string): News {
  const queries = useQueryClient();
  const [made, setMade] = useState<Made | null>(null);
  const refresh = () => {
    void queries.invalidateQueries({ queryKey: boardsKey(agent) });
    void queries.invalidateQueries({ queryKey: filmsKey(agent) });
  };
  useRoomFrames("run.progress", (frame) => {
    followRun(queries, agent, frame);
    for (const { type, id } of frame.products ?? []) {
      if ((type !== "board" && type !== "film") || id === undefined) continue;
      refresh();
      setMade({ type, id });
    }
  });
  useRoomFrames("timeline.entry", ({ row }) => {
    if (row.type === "board_edited") refresh();
    if (row.type !== "feedback" && row.type !== "reactions") return;
    void queries.invalidateQueries({ queryKey: feedbackKey(agent) });
    refresh();
  });
  // After a break the frames in between are gone.
  useRoomFrames("sync", () => {
    void queries.invalidateQueries({ queryKey: runsKey(agent) });
    void queries.invalidateQueries({ queryKey: feedbackKey(agent) });
    refresh();
  });
  return useMemo(() => ({ made, forget: () => { setMade(null); } }), [made]);
}

/** What was made lately and not seen; shown says what the page shows itself. */
export function useMade(shown = ""): News {
  const news = useContext(MadeContext);
  const seen = news.made !== null && news.made.id === shown;
  const { forget } = news;
  useEffect(() => { if (seen) forget(); }, [seen, forget]);
  return seen ? { made: null, forget } : news;
}
