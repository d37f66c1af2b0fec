import { useState } from "react";

const key = "sozai.cards.discarded";
const most = 200;

function load(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(kept) ? kept.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

/** Expired cards that this reader has laid aside, in this browser. */
export function useDiscarded(card: string): [boolean, (on: boolean) => void] {
  const [discarded, setDiscarded] = useState(() => load().includes(card));
  return [
    discarded,
    (on) => {
      localStorage.setItem(key, JSON.stringify([...load().filter((id) => id !== card), ...(on ? [card] : [])].slice(-most)));
      setDiscarded(on);
    },
  ];
}
