import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { fakeSight } from "../../test/sight";
import { makeGaze, seenAfter } from "./gaze";

function setup() {
  const sight = fakeSight();
  const seen: string[] = [];
  const passed: string[] = [];
  const gaze = makeGaze({ seen: (id) => seen.push(id), passed: (id) => passed.push(id) });
  const tile = document.createElement("li");
  const forget = gaze.watch(tile, "m1");
  return { gaze, tile, forget, seen, passed, move: sight.move, watched: sight.watched };
}

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

test("at least half visible for a second is seen, and told once", () => {
  const { tile, move, seen } = setup();
  move(tile, 0.6);
  vi.advanceTimersByTime(seenAfter - 1);
  expect(seen).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(seen).toEqual(["m1"]);
  move(tile, 0);
  move(tile, 1);
  vi.advanceTimersByTime(seenAfter);
  expect(seen).toEqual(["m1"]);
});

test("less than half, however long, is not seen; two halves of a second are not one", () => {
  const { tile, move, seen } = setup();
  move(tile, 0.4);
  vi.advanceTimersByTime(seenAfter * 5);
  move(tile, 0.5);
  vi.advanceTimersByTime(seenAfter / 2);
  move(tile, 0.3);
  vi.advanceTimersByTime(seenAfter / 2);
  move(tile, 0.5);
  vi.advanceTimersByTime(seenAfter / 2);
  expect(seen).toEqual([]);
});

test("scrolled past at speed over the upper edge is passed", () => {
  const { tile, move, seen, passed } = setup();
  move(tile, 0.8);
  vi.advanceTimersByTime(400);
  move(tile, 0, -400);
  expect(passed).toEqual(["m1"]);
  expect(seen).toEqual([]);
});

test("what leaves below, was seen, flashed by, or never half showed is not passed", () => {
  const below = setup();
  below.move(below.tile, 0.8);
  vi.advanceTimersByTime(400);
  below.move(below.tile, 0, 5_000);
  const looked = setup();
  looked.move(looked.tile, 0.8);
  vi.advanceTimersByTime(seenAfter);
  looked.move(looked.tile, 0, -400);
  const flash = setup();
  flash.move(flash.tile, 0.8);
  vi.advanceTimersByTime(20);
  flash.move(flash.tile, 0, -400);
  const edge = setup();
  edge.move(edge.tile, 0.2);
  vi.advanceTimersByTime(400);
  edge.move(edge.tile, 0, -400);
  expect([below, looked, flash, edge].flatMap((s) => s.passed)).toEqual([]);
});

test("nothing is looked at behind a dialog or in a hidden tab; it counts anew afterwards", () => {
  const { gaze, tile, move, seen, passed } = setup();
  move(tile, 1);
  vi.advanceTimersByTime(600);
  gaze.pause(true);
  vi.advanceTimersByTime(seenAfter * 2);
  expect(seen).toEqual([]);
  gaze.pause(false);
  const hidden = vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
  document.dispatchEvent(new Event("visibilitychange"));
  vi.advanceTimersByTime(seenAfter * 2);
  move(tile, 0, -400);
  expect([...seen, ...passed]).toEqual([]);
  move(tile, 1);
  hidden.mockReturnValue("visible");
  document.dispatchEvent(new Event("visibilitychange"));
  vi.advanceTimersByTime(seenAfter);
  expect(seen).toEqual(["m1"]);
});

test("what left the page is not followed", () => {
  const { tile, forget, move, seen, watched } = setup();
  move(tile, 1);
  forget();
  vi.advanceTimersByTime(seenAfter * 2);
  expect(seen).toEqual([]);
  expect(watched.size).toBe(0);
});
