// Comparing two texts of a gene, by lines and within changed lines by words.

import { diffArrays } from "diff";

export type Op = "same" | "added" | "removed";

/** A stretch of a line with one fate. */
export type Piece = { op: Op; text: string };

/** One line of a comparison. Lines are numbered among those that are not blank. */
export type Row = {
  kind: "same" | "changed" | "added" | "removed";
  /** Number in the new text; in the old one for a removed line. */
  n: number;
  /** Number in the old text, 0 for an added line: whose line it is. */
  was: number;
  pieces: Piece[];
};

/** Rows, or a stretch of unchanged rows that is folded away. */
export type Stretch = { folded: boolean; rows: Row[] };

const cjk = "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}";
const token = new RegExp(`[${cjk}]|(?:(?![${cjk}])[\\p{L}\\p{N}\\p{M}])+|\\s+|.`, "gsu");

/** Words, runs of spaces and single signs; a CJK character is a word of its own. */
export function tokensOf(text: string): string[] {
  return text.match(token) ?? [];
}

/** The lines that are not blank, without spaces at their end. */
export function linesOf(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== "");
}

/** What happened to each line between two texts. */
export function compareTexts(from: string, to: string): Row[] {
  const rows: Row[] = [];
  let was = 0;
  let n = 0;
  let removed: string[] = [];
  const flush = (added: string[]) => {
    for (const [old, now] of pair(removed, added)) {
      if (old !== undefined) was++;
      if (now !== undefined) n++;
      if (old !== undefined && now !== undefined) rows.push({ kind: "changed", n, was, pieces: compareWords(old, now) });
      else if (now !== undefined) rows.push({ kind: "added", n, was: 0, pieces: [{ op: "added", text: now }] });
      else if (old !== undefined) rows.push({ kind: "removed", n: was, was, pieces: [{ op: "removed", text: old }] });
    }
    removed = [];
  };
  for (const hunk of diffArrays(linesOf(from), linesOf(to))) {
    if (hunk.removed) {
      removed = hunk.value;
      continue;
    }
    flush(hunk.added ? hunk.value : []);
    if (hunk.added) continue;
    for (const text of hunk.value) rows.push({ kind: "same", n: ++n, was: ++was, pieces: [{ op: "same", text }] });
  }
  flush([]);
  return rows;
}

/** What happened to each word of a line. */
export function compareWords(from: string, to: string): Piece[] {
  return diffArrays(tokensOf(from), tokensOf(to)).map((hunk) => ({
    op: hunk.added ? "added" : hunk.removed ? "removed" : "same",
    text: hunk.value.join(""),
  }));
}

/** Folds unchanged rows away, apart from some beside each change. Fewer than two are not worth a fold. */
export function fold(rows: Row[], beside = 1): Stretch[] {
  const near = rows.map((_, i) => rows.slice(Math.max(0, i - beside), i + beside + 1).some((row) => row.kind !== "same"));
  const stretches: Stretch[] = [];
  rows.forEach((row, i) => {
    const folded = near[i] === false;
    const last = stretches.at(-1);
    if (last?.folded === folded) last.rows.push(row);
    else stretches.push({ folded, rows: [row] });
  });
  return stretches.map((s) => (s.rows.length < 2 ? { ...s, folded: false } : s));
}

type Pair = [old: string | undefined, now: string | undefined];

// Below this share of common words a line was replaced, not changed.
const alike = 0.4;

/** Pairs removed with added lines in order so that what is paired is most alike. */
function pair(removed: string[], added: string[]): Pair[] {
  const width = added.length + 1;
  const best = new Float64Array((removed.length + 1) * width);
  const at = (i: number, j: number) => best[i * width + j] ?? 0;
  const likeness = removed.map((old) => added.map((now) => similarity(old, now)));
  for (let i = removed.length - 1; i >= 0; i--) {
    for (let j = added.length - 1; j >= 0; j--) {
      const like = likeness[i]?.[j] ?? 0;
      best[i * width + j] = Math.max(at(i + 1, j), at(i, j + 1), like >= alike ? like + at(i + 1, j + 1) : 0);
    }
  }
  const pairs: Pair[] = [];
  let [i, j] = [0, 0];
  while (i < removed.length || j < added.length) {
    const like = likeness[i]?.[j] ?? 0;
    if (like >= alike && at(i, j) === like + at(i + 1, j + 1)) pairs.push([removed[i++], added[j++]]);
    else if (j === added.length || (i < removed.length && at(i + 1, j) >= at(i, j + 1))) pairs.push([removed[i++], undefined]);
    else pairs.push([undefined, added[j++]]);
  }
  return pairs;
}

/** Share of common words of two lines, from 0 to 1. */
function similarity(a: string, b: string): number {
  const [x, y] = [a, b].map((text) => tokensOf(text).filter((word) => /[\p{L}\p{N}]/u.test(word)));
  if (!x || !y || x.length + y.length === 0) return 0;
  const left = new Map<string, number>();
  for (const word of x) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of y) {
    const n = left.get(word) ?? 0;
    if (n > 0) common++;
    left.set(word, n - 1);
  }
  return (2 * common) / (x.length + y.length);
}
