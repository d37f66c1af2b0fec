import { useSyncExternalStore } from "react";

/** Below this width there is one column, and the room is a tab. */
const phone = "(max-width: 760px)";

function subscribe(changed: () => void): () => void {
  const query = window.matchMedia(phone);
  query.addEventListener("change", changed);
  return () => { query.removeEventListener("change", changed); };
}

export const isPhone = () => window.matchMedia(phone).matches;

export function usePhone(): boolean {
  return useSyncExternalStore(subscribe, isPhone);
}
