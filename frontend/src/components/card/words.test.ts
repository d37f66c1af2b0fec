import { expect, test } from "vitest";

import { compareTexts, compareWords, fold, tokensOf } from "./words";

const shown = (from: string, to: string) =>
  compareTexts(from, to).map((row) => `${row.kind} ${row.n}/${row.was} ${row.pieces.map((p) => ({ same: "", added: "+", removed: "-" })[p.op] + p.text).join("|")}`);

test("a CJK character is a word of its own, a run of letters is one word", () => {
  expect(tokensOf("前3秒two cuts，好😀")).toEqual(["前", "3", "秒", "two", " ", "cuts", "，", "好", "😀"]);
});

test("words that were put into a line are marked and the rest of it is not", () => {
  expect(compareWords("优先集体混战、高空视角", "优先前三秒至少两刀的集体混战、高空视角")).toEqual([
    { op: "same", text: "优先" },
    { op: "added", text: "前三秒至少两刀的" },
    { op: "same", text: "集体混战、高空视角" },
  ]);
});

test("a changed line is one row, a replaced line is two", () => {
  expect(shown("keep the bridge shot\nslow aerial pans\nend", "keep the closing bridge shot\nmass melee at night\nend")).toEqual([
    "changed 1/1 keep the |+closing |bridge shot",
    "removed 2/2 -slow aerial pans",
    "added 2/0 +mass melee at night",
    "same 3/3 end",
  ]);
});

test("lines are numbered without blank ones, and spaces at their end do not count", () => {
  expect(shown("a\n\nb", "a  \nb\n\n\nc")).toEqual(["same 1/1 a", "same 2/2 b", "added 3/0 +c"]);
});

test("pieces of the old text and of the new one make up both texts", () => {
  const [from, to] = ["one two\nthree four five\nsix", "zero\none 2 two\nfive four\nsix!"];
  const rows = compareTexts(from, to);
  const side = (gone: string, not: string) =>
    rows.filter((r) => r.kind !== not).map((r) => r.pieces.filter((p) => p.op !== gone).map((p) => p.text).join("")).join("\n");
  expect(side("added", "added")).toBe(from);
  expect(side("removed", "removed")).toBe(to);
});

test("what is far from a change is folded, a single line is not", () => {
  const rows = compareTexts("a\nb\nc\nd\ne\nf", "a\nb\nc\nd\ne\nX y z");
  expect(fold(rows).map((s) => [s.folded, s.rows.length])).toEqual([[true, 4], [false, 3]]);
  expect(fold(compareTexts("a\nb\nc", "a\nb\nq")).every((s) => !s.folded)).toBe(true);
});

test("a thousand lines are compared at once", () => {
  const long = Array.from({ length: 1000 }, (_, i) => `line ${i} of the document`);
  const began = performance.now();
  expect(compareTexts(long.join("\n"), long.map((l, i) => (i % 10 ? l : `${l} more`)).join("\n")).filter((r) => r.kind === "changed")).toHaveLength(100);
  expect(performance.now() - began).toBeLessThan(2_000);
});
