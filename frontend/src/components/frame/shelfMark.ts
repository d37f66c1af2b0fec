import { useEffect, useSyncExternalStore } from "react";

export const shelves = ["boards", "films"] as const;
export type Shelf = (typeof shelves)[number];

/** How much of a shelf a person has seen: how many there were, and up to which sequence. */
export type ShelfMark = { count: number; seq: number };

const none: ShelfMark = { count: 0, seq: 0 };
/** The browser tells other tabs of a change, but not the one that made it. */
const changed = "sozai.shelf";

const placeOf = (user: string, agent: string, shelf: Shelf) => `sozai.shelf.${user}.${agent}.${shelf}`;

export function readMark(user: string, agent: string, shelf: Shelf): ShelfMark {
  const [count = 0, seq = 0] = (localStorage.getItem(placeOf(user, agent, shelf)) ?? "").split(" ").map(Number);
  return Number.isFinite(count) && Number.isFinite(seq) ? { count, seq } : none;
}

/** Moves a person's mark forward; it never goes back. */
export function moveMark(user: string, agent: string, shelf: Shelf, to: ShelfMark): void {
  const old = readMark(user, agent, shelf);
  const next = { count: Math.max(old.count, to.count), seq: Math.max(old.seq, to.seq) };
  if (next.count === old.count && next.seq === old.seq) return;
  localStorage.setItem(placeOf(user, agent, shelf), `${next.count} ${next.seq}`);
  window.dispatchEvent(new Event(changed));
}

function subscribe(heard: () => void): () => void {
  window.addEventListener(changed, heard);
  window.addEventListener("storage", heard);
  return () => {
    window.removeEventListener(changed, heard);
    window.removeEventListener("storage", heard);
  };
}

/** How many of a shelf's things are new to a person. */
export function useFreshCount(user: string, agent: string, shelf: Shelf, count: number): number {
  const seen = useSyncExternalStore(subscribe, () => readMark(user, agent, shelf).count);
  return Math.max(0, count - seen);
}

/** A shelf that is shown has been seen, as soon as somebody is in front of it. */
export function useSeenShelf(user: string, agent: string, shelf: Shelf, shown: ShelfMark | null): void {
  const count = shown?.count ?? 0;
  const seq = shown?.seq ?? 0;
  useEffect(() => {
    if (count === 0 && seq === 0) return;
    const look = () => {
      if (document.visibilityState === "visible") moveMark(user, agent, shelf, { count, seq });
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => { document.removeEventListener("visibilitychange", look); };
  }, [user, agent, shelf, count, seq]);
}
