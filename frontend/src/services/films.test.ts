import { expect, test } from "vitest";

import { film } from "../test/factories/library";
import { lengthOf, panelAt, startsOf } from "./boards";
import { filmOf, stacksOf } from "./films";

const made = (id: string, board: string) => filmOf(film({ film: id, board }));

test("films of a board and of what it was made from lie on one stack, the newest on top", () => {
  const stacks = stacksOf([made("F4", "B3"), made("F3", "X"), made("F2", "B2"), made("F1", "B1")], { B3: "B2", B2: "B1", B1: "" });
  expect(stacks.map((s) => [s.top.id, s.all.map((f) => f.id)])).toEqual([["F4", ["F4", "F2", "F1"]], ["F3", ["F3"]]]);
});

test("boards that name each other do not hold up the page", () => {
  expect(stacksOf([made("F1", "B1")], { B1: "B2", B2: "B1" })).toHaveLength(1);
});

test("the panel that plays at a second", () => {
  const panels = [{ seconds: 2 }, { seconds: 1.5 }, { seconds: 3 }];
  expect(lengthOf(panels)).toBe(6.5);
  expect(startsOf(panels)).toEqual([0, 2, 3.5]);
  expect([0, 1.99, 2, 3.4999, 6.5].map((at) => panelAt(panels, at))).toEqual([0, 0, 1, 2, 2]);
  expect(panelAt([], 1)).toBe(-1);
});
