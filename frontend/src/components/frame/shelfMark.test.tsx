import { act, renderHook } from "@testing-library/react";
import { expect, test } from "vitest";

import { moveMark, readMark, useFreshCount } from "./shelfMark";

test("what came since one last looked is new, for this person and this shelf only, and marks never go back", () => {
  const { result } = renderHook(() => useFreshCount("lin", "A1", "boards", 5));
  expect(result.current).toBe(5);
  act(() => { moveMark("lin", "A1", "boards", { count: 3, seq: 90 }); });
  expect(result.current).toBe(2);
  act(() => { moveMark("lin", "A1", "boards", { count: 2, seq: 80 }); });
  expect(readMark("lin", "A1", "boards")).toEqual({ count: 3, seq: 90 });
  expect(readMark("zhou", "A1", "boards").count).toBe(0);
  expect(readMark("lin", "A1", "films").count).toBe(0);
});

test("another tab's mark is heard, and what somebody else wrote there is no mark", () => {
  const { result } = renderHook(() => useFreshCount("lin", "A1", "films", 2));
  localStorage.setItem("sozai.shelf.lin.A1.films", "2 70");
  act(() => { window.dispatchEvent(new StorageEvent("storage")); });
  expect(result.current).toBe(0);
  localStorage.setItem("sozai.shelf.lin.A1.films", "x y");
  expect(readMark("lin", "A1", "films")).toEqual({ count: 0, seq: 0 });
});
