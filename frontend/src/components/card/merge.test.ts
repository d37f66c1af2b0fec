import { expect, test } from "vitest";

import { merge } from "./merge";

test("changes to different lines are both taken", () => {
  expect(merge("a\nb\nc", "a\nB\nc", "a\nb\nc\nd")).toEqual({ text: "a\nB\nc\nd", clashes: 0 });
});

test("a removed line stays removed, an equal change is taken once", () => {
  expect(merge("a\nb\nc", "a\nc", "a\nb\nc!")).toEqual({ text: "a\nc\nc!", clashes: 1 });
  expect(merge("a\nb\nc", "x\na\nb\nc", "x\na\nb\nc")).toEqual({ text: "x\na\nb\nc", clashes: 0 });
});

test("a line that both changed stands there twice and is counted", () => {
  expect(merge("a\nb\nc", "a\nours\nc", "a\ntheirs\nc")).toEqual({ text: "a\nours\ntheirs\nc", clashes: 1 });
});

test("lines that both added at one place both stay, without a clash", () => {
  expect(merge("a", "a\nours", "a\ntheirs")).toEqual({ text: "a\nours\ntheirs", clashes: 0 });
});

test("with nothing new on one side the other side is the result", () => {
  expect(merge("a\n\nb", "a\n\nb", "z")).toEqual({ text: "z", clashes: 0 });
  expect(merge("a\n\nb", "q\nb", "a\n\nb")).toEqual({ text: "q\nb", clashes: 0 });
  expect(merge("", "", "new")).toEqual({ text: "new", clashes: 0 });
});
