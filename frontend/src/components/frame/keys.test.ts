import { expect, test } from "vitest";

import { isTyping, wishOf } from "./keys";

const press = (key: string, more: object = {}) => ({ key, ctrlKey: false, metaKey: false, altKey: false, isComposing: false, ...more });

test("the palette opens with ⌘K and Ctrl+K, also while typing, but not while an input method composes", () => {
  expect(wishOf(press("k", { metaKey: true }), false, true)).toBe("palette");
  expect(wishOf(press("K", { ctrlKey: true }), false, false)).toBe("palette");
  expect(wishOf(press("k", { metaKey: true, isComposing: true }), false, true)).toBeNull();
});

test("g and a second letter move; anything else lets the second letter be", () => {
  expect(wishOf(press("g"), false, false)).toBe("armed");
  expect(["m", "b", "f", "g", "t", "r"].map((k) => wishOf(press(k), true, false))).toEqual(["materials", "boards", "films", "gene", "tasks", "room"]);
  expect(wishOf(press("x"), true, false)).toBeNull();
  expect(wishOf(press("m"), false, false)).toBeNull();
});

test("letters belong to whoever types, and to the browser's own combinations", () => {
  expect(wishOf(press("g"), false, true)).toBeNull();
  expect(wishOf(press("?"), false, true)).toBeNull();
  expect(wishOf(press("g", { ctrlKey: true }), false, false)).toBeNull();
  expect(wishOf(press("？"), false, false)).toBe("help");
  expect(isTyping(document.createElement("textarea"))).toBe(true);
  expect(isTyping(document.createElement("button"))).toBe(false);
});
