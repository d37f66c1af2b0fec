import { useState } from "react";

const stored = "sozai.drawer";

export const narrowest = 320;
export const widest = 720;
const usual = 420;

/** What the page beside the drawer needs at least, in pixels. */
const pageLeast = 420;

export type DrawerState = { open: boolean; width: number };

function load(): DrawerState {
  const [open, width] = (localStorage.getItem(stored) ?? "").split(" ");
  return { open: open !== "folded", width: clampWidth(Number(width) || usual, window.innerWidth) };
}

export function clampWidth(width: number, page: number): number {
  const most = Math.max(narrowest, Math.min(widest, page - pageLeast));
  return Math.round(Math.min(most, Math.max(narrowest, width)));
}

/** Whether the drawer is open and how wide; kept in this browser. */
export function useDrawer(): [DrawerState, (change: Partial<DrawerState>) => void] {
  const [state, setState] = useState(load);
  const change = (next: Partial<DrawerState>) => {
    const now = { ...state, ...next };
    now.width = clampWidth(now.width, window.innerWidth);
    setState(now);
    localStorage.setItem(stored, `${now.open ? "open" : "folded"} ${now.width}`);
  };
  return [state, change];
}
