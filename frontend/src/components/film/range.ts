// A stretch of a film, chosen on a bar.

import type { Range } from "../../services/feedback";

/** Less than that is a press, not a stretch. */
export const shortest = 0.2;

const tenth = (n: number) => Math.round(n * 10) / 10;

/** The second that a place on the bar means. */
export function secondAt(x: number, left: number, width: number, length: number): number {
  if (width <= 0) return 0;
  return tenth(Math.min(1, Math.max(0, (x - left) / width)) * length);
}

/** The stretch between two seconds, whichever was first; null if it is only a press. */
export function between(a: number, b: number): Range | null {
  const [from, to] = a < b ? [tenth(a), tenth(b)] : [tenth(b), tenth(a)];
  return to - from < shortest ? null : { from, to };
}

/** A stretch with one end moved, kept within the film and in order. */
export function withEnd(range: Range | null, end: "from" | "to", at: number, length: number): Range | null {
  if (!Number.isFinite(at)) return range;
  const second = tenth(Math.min(length, Math.max(0, at)));
  if (end === "from") return { from: Math.min(second, tenth(length) - shortest), to: Math.max(range?.to ?? tenth(Math.min(length, second + 2)), tenth(second + shortest)) };
  return { from: Math.min(range?.from ?? tenth(Math.max(0, second - 2)), tenth(Math.max(0, second - shortest))), to: Math.max(second, shortest) };
}

/** In which row each stretch is drawn, so that none lies over another. */
export function rowsOf(ranges: readonly Range[]): number[] {
  const ends: number[] = [];
  const order = ranges.map((r, i) => ({ r, i })).sort((a, b) => a.r.from - b.r.from);
  const rows = new Array<number>(ranges.length).fill(0);
  for (const { r, i } of order) {
    const free = ends.findIndex((end) => end <= r.from);
    const row = free < 0 ? ends.length : free;
    ends[row] = r.to;
    rows[i] = row;
  }
  return rows;
}
