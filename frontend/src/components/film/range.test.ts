import { expect, test } from "vitest";

import { between, rowsOf, secondAt, withEnd } from "./range";

test("a place on the bar is a second of the film, and never outside it", () => {
  expect([secondAt(150, 100, 200, 10), secondAt(50, 100, 200, 10), secondAt(900, 100, 200, 10), secondAt(5, 0, 0, 10)]).toEqual([2.5, 0, 10, 0]);
});

test("a stretch goes forward whichever way it was drawn; a press is none", () => {
  expect(between(4.02, 1.5)).toEqual({ from: 1.5, to: 4 });
  expect(between(2, 2.1)).toBeNull();
});

test("an end set by hand stays in order and within the film", () => {
  expect(withEnd(null, "from", 3, 10)).toEqual({ from: 3, to: 5 });
  expect(withEnd(null, "to", 3, 10)).toEqual({ from: 1, to: 3 });
  expect(withEnd({ from: 2, to: 4 }, "from", 6, 10)).toEqual({ from: 6, to: 6.2 });
  expect(withEnd({ from: 2, to: 4 }, "to", 99, 10)).toEqual({ from: 2, to: 10 });
  expect(withEnd({ from: 2, to: 4 }, "to", Number.NaN, 10)).toEqual({ from: 2, to: 4 });
});

test("stretches that overlap lie in different rows", () => {
  expect(rowsOf([{ from: 0, to: 3 }, { from: 2, to: 4 }, { from: 3, to: 5 }, { from: 2.5, to: 6 }])).toEqual([0, 1, 0, 2]);
});
