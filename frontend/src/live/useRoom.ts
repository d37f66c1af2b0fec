import { createContext, useContext, useEffect, useEffectEvent, useSyncExternalStore } from "react";

import type { RoomStore, RoomView } from "./store";
import type { FrameOf, FrameType } from "./wire";

export const RoomContext = createContext<RoomStore | null>(null);

const nothing = () => () => undefined;

/** The room's store, for commands; throws outside a RoomProvider. */
export function useRoomStore(): RoomStore {
  const store = useContext(RoomContext);
  if (store === null) throw new Error("useRoomStore outside a RoomProvider");
  return store;
}

/** A part of what the room shows; the component draws anew when that part changes. */
export function useRoom<T>(part: (view: RoomView) => T): T {
  const store = useRoomStore();
  return useSyncExternalStore(store.subscribe, () => part(store.get()));
}

/** Calls back for every frame of a type that comes in live. Outside a room it does nothing. */
export function useRoomFrames<T extends FrameType>(type: T, call: (frame: FrameOf<T>) => void): void {
  const store = useContext(RoomContext);
  const latest = useEffectEvent(call);
  useEffect(() => (store ?? { on: nothing }).on(type, (frame: FrameOf<T>) => { latest(frame); }), [store, type]);
}
