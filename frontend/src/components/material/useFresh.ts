import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";

import { useRoomFrames } from "../../live/useRoom";
import { materialListKey, materialsKey } from "../../services/materials";

/**
 * Keeps the page in step with the room. New materials come in by themselves while the
 * reader is at the top of a short list; further down nothing moves under their eyes,
 * and fresh says that there is more to show.
 */
export function useFresh(agent: string, pages: number) {
  const queries = useQueryClient();
  const [fresh, setFresh] = useState(false);
  const top = useRef<HTMLDivElement>(null);
  const atTop = useRef(true);

  useEffect(() => {
    if (!top.current) return;
    const observer = new IntersectionObserver((entries) => { atTop.current = entries.at(-1)?.isIntersecting ?? true; });
    observer.observe(top.current);
    return () => { observer.disconnect(); };
  }, []);

  const show = useCallback(() => {
    setFresh(false);
    void queries.invalidateQueries({ queryKey: materialListKey(agent) });
  }, [queries, agent]);
  const news = () => {
    if (atTop.current && pages <= 1) show();
    else setFresh(true);
  };

  const done = useRef(new Map<string, number>());
  useRoomFrames("run.progress", (frame) => {
    const before = done.current.get(frame.run) ?? 0;
    const now = frame.progress?.unit === "materials" ? frame.progress.done : before;
    done.current.set(frame.run, now);
    const ended = frame.state === "done" || frame.state === "failed" || frame.state === "cancelled";
    if (now > before || (ended && frame.work !== "digest")) news();
  });
  useRoomFrames("timeline.entry", ({ row }) => {
    if (row.type !== "feedback" && row.type !== "reactions") return;
    void queries.invalidateQueries({ queryKey: materialsKey(agent) });
  });
  // After a break the frames in between are gone.
  useRoomFrames("sync", news);
  return { fresh, show, top };
}
