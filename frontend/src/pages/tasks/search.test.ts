import { expect, test } from "vitest";

import { runFilter, tasksSearch } from "./search";

test("lists are joined by commas, and unknown words fall out", () => {
  expect(tasksSearch({ state: "failed,done,asleep", work: "search", trigger: "moon", version: 2, run: "R1" })).toEqual({
    state: "done,failed", work: "search", version: 2, run: "R1",
  });
  expect(tasksSearch({ state: ["done"], version: "x" })).toEqual({});
});

test("the filter is what the server is asked", () => {
  expect(runFilter({ state: "done,failed", trigger: "hand" })).toEqual({ state: ["done", "failed"], work: [], trigger: "hand", version: 0 });
});
