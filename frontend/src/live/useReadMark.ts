import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";

import { agentQuery } from "../services/agents";
import { markRead, type ReadMark } from "../services/room";
import { useRoom, useRoomStore } from "./useRoom";

/** Tells this person's other tabs how far was read. */
const channel = "sozai.read";
type Told = { agent: string; read: ReadMark };

/** Moves the read mark to the newest row while that can be seen: at the end, in front of a person. */
export function useReadMark(atEnd: boolean): void {
  const { agent } = useRoomStore();
  const queries = useQueryClient();
  const known = useQuery(agentQuery(agent)).data?.read.seq;
  const newest = useRoom((v) => v.rows.at(-1)?.seq ?? 0);
  const take = useEffectEvent(({ agent: where, read }: Told) => {
    queries.setQueryData(agentQuery(where).queryKey, (old) => (old && read.seq >= old.read.seq ? { ...old, read } : old));
  });
  const mark = useEffectEvent((seq: number) => {
    void markRead(agent, seq).then(
      (read) => {
        take({ agent, read });
        const others = new BroadcastChannel(channel);
        others.postMessage({ agent, read } satisfies Told);
        others.close();
      },
      () => undefined, // the next row tries again
    );
  });
  useEffect(() => {
    const others = new BroadcastChannel(channel);
    others.onmessage = (event: MessageEvent<Told>) => { take(event.data); };
    return () => { others.close(); };
  }, []);
  useEffect(() => {
    if (!atEnd || known === undefined || newest <= known) return;
    const look = () => {
      if (document.visibilityState !== "visible" || !document.hasFocus()) return;
      stop();
      mark(newest);
    };
    const stop = () => {
      document.removeEventListener("visibilitychange", look);
      window.removeEventListener("focus", look);
    };
    document.addEventListener("visibilitychange", look);
    window.addEventListener("focus", look);
    look();
    return stop;
  }, [atEnd, known, newest]);
}
