import { expect, test } from "vitest";

import { begin, beginFrom, carryOver, keepDraft, loadDraft } from "./draft";

const five = { version: 5, search: "a\nb\nc", steer: "s", constraints: { maxFilmSeconds: 30, aspect: "9:16" } };
const six = { ...five, version: 6, search: "a\nb\nc\nnew", constraints: { maxFilmSeconds: 30, aspect: "1:1" } };

test("a card is laid over the newer version: both changes stand, limits one by one", () => {
  const card = { id: "C", was: five, summary: "B", change: { search: "a\nB\nc", constraints: { maxFilmSeconds: 20, aspect: "9:16" } } };
  const draft = beginFrom(card, six);
  expect(draft).toMatchObject({ base: 6, card: "C", summary: "B", search: "a\nB\nc\nnew", steer: "s", clashes: 0, constraints: { maxFilmSeconds: 20, aspect: "1:1" } });
});

test("a version that comes while somebody writes is taken in, and clashes are counted", () => {
  const draft = { ...begin(five), search: "a\nmine\nc" };
  expect(carryOver(draft, six)).toMatchObject({ base: 6, search: "a\nmine\nc\nnew", clashes: 0 });
  const seven = { ...six, version: 7, search: "a\nyours\nc" };
  expect(carryOver(draft, seven)).toMatchObject({ base: 7, search: "a\nyours\nmine\nc", clashes: 1 });
});

test("a draft is kept for its agent and its card, and whatever else lies there is ignored", () => {
  const draft = { ...begin(five), search: "mine" };
  keepDraft("A", draft);
  expect(loadDraft("A", "")).toEqual(draft);
  expect(loadDraft("A", "C")).toBeNull();
  expect(loadDraft("B", "")).toBeNull();
  localStorage.setItem("sozai.gene.draft.A", '{"base":1}');
  expect(loadDraft("A", "")).toBeNull();
  localStorage.setItem("sozai.gene.draft.A", "{");
  expect(loadDraft("A", "")).toBeNull();
});
