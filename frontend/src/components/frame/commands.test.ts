import { expect, test } from "vitest";

import { find, grouped, type Item } from "./commands";

const item = (label: string, group = "转到"): Item => ({ id: label, group, label, icon: "search", run: () => undefined });
const labels = (items: Item[]) => items.map((i) => i.label);

test("without a query everything stands in its order", () => {
  expect(labels(find([item("b"), item("a")], " "))).toEqual(["b", "a"]);
});

test("every word must be there, in any case, and what begins with the query comes first", () => {
  const items = [item("Last Tower"), item("Tower Defense"), item("Island")];
  expect(labels(find(items, "tower"))).toEqual(["Tower Defense", "Last Tower"]);
  expect(labels(find(items, "TOWER last"))).toEqual(["Last Tower"]);
  expect(find(items, "nothing")).toEqual([]);
});

test("the group's name finds its items too", () => {
  expect(labels(find([item("海岛餐厅", "Agent"), item("创意源")], "agent"))).toEqual(["海岛餐厅"]);
});

test("items stay under the name of their group", () => {
  expect(grouped([item("a", "x"), item("b", "y"), item("c", "x")]).map((g) => [g.name, labels(g.items)])).toEqual([["x", ["a", "c"]], ["y", ["b"]]]);
});
