import { type ReactNode, useEffect, useMemo } from "react";

import { readPast, readTimeline, say, stopTurn, takeBack } from "../services/room";
import { RoomStore } from "./store";
import { RoomContext } from "./useRoom";
import type { Page } from "./wire";

const address = (agent: string) => {
  const url = new URL(`/api/agents/${encodeURIComponent(agent)}/ws`, window.location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url;
};

const open = (agent: string) => roomOf(agent, (before) => readTimeline(agent, before));

/** The room as it was at a moment. It is looked at, not started. */
export const openPast = (agent: string, at: string) => roomOf(agent, (before) => readPast(agent, at, before));

function roomOf(agent: string, timeline: (before: number) => Promise<Page>): RoomStore {
  return new RoomStore(
    agent,
    {
      timeline,
      say: (key, text, refs) => say(agent, key, text, refs),
      stop: (key, turn) => stopTurn(agent, key, turn),
      takeBack: (key, message) => takeBack(agent, key, message),
    },
    {
      open: () => new WebSocket(address(agent)),
      now: () => Date.now(),
      later: (call, ms) => {
        const timer = window.setTimeout(call, ms);
        return () => {
          window.clearTimeout(timer);
        };
      },
      random: Math.random,
    },
  );
}

/** One socket for an agent's pages and drawer. Put around all of /a/$agent; keyed by nothing, it follows the agent. */
export function RoomProvider({ agent, children }: { agent: string; children: ReactNode }) {
  const store = useMemo(() => open(agent), [agent]);
  useEffect(() => store.start(), [store]);
  return <RoomContext value={store}>{children}</RoomContext>;
}
