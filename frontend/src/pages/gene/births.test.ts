import { expect, test } from "vitest";

import { version } from "../../test/factories/gene";
import { birthsOf } from "./births";

const list = [
  version({ version: 4, search: "a\nd" }),
  version({ version: 3, search: "a\nb" }),
  version({ version: 2, search: "a\nb\nd" }),
  version({ version: 1, search: "a" }),
];

test("a line is as old as the first version since which it stands without a gap", () => {
  const births = birthsOf(list, 4, "search");
  expect([births.get("a")?.version, births.get("d")?.version, births.get("b")]).toEqual([1, 4, undefined]);
});

test("an older version has births of its own", () => {
  expect([...birthsOf(list, 2, "search")].map(([line, v]) => [line, v.version])).toEqual([["a", 1], ["b", 2], ["d", 2]]);
  expect(birthsOf([], 1, "steer").size).toBe(0);
});
