import { expect, test } from "vitest";

import { materialFilter, materialsSearch } from "./search";

test("an address keeps what makes sense and drops the rest", () => {
  expect(materialsSearch({ m: "M1", state: "new", rating: "high", version: "5", source: "fast", run: "R1", q: " 桥 ", other: 1 })).toEqual({
    m: "M1", state: "new", rating: "high", version: 5, source: "fast", run: "R1", q: "桥",
  });
  expect(materialsSearch({ m: 3, state: "old", rating: "best", version: -1, q: "" })).toEqual({});
  expect(materialsSearch({ find: "hot" })).toEqual({ find: "hot" });
  expect(materialsSearch({ find: "everywhere" })).toEqual({});
  expect(materialsSearch({ q: 2024 })).toEqual({ q: "2024" });
});

test("the filter leaves nothing open", () => {
  expect(materialFilter({ m: "M1" })).toEqual({ run: "", version: 0, source: "", rating: "", state: "", q: "" });
});
