import { expect, test } from "vitest";

import type { Feedback } from "../../services/feedback";
import { keptPanels } from "./kept";

const said = (panel: number, more: Partial<Feedback> = {}): Feedback => ({ id: `F${panel}`, object: "B1", panel, range: null, verdict: null, words: "", by: "U1", name: "林", written: false, at: new Date(0), state: "open", settledIn: 0, ...more });

test("a liked panel is kept, and one that somebody asks in words to keep", () => {
  expect(keptPanels([said(5, { verdict: "like" }), said(2, { words: "保留第 2 格" }), said(3, { words: "Please keep this one" }), said(1, { words: "太慢" })])).toEqual([2, 3, 5]);
});

test("words outweigh clicks, and the newest words count; without words the clicks are counted", () => {
  expect(keptPanels([said(5, { verdict: "dislike" }), said(5, { words: "保留", by: "U2" })])).toEqual([5]);
  expect(keptPanels([said(5, { words: "还是换掉吧" }), said(5, { verdict: "like", words: "保留" })])).toEqual([]);
  expect(keptPanels([said(4, { verdict: "dislike" }), said(4, { verdict: "like", by: "U2" }), said(3, { verdict: "like" })])).toEqual([3]);
});

test("the whole board, and what was taken back, say nothing of a panel", () => {
  expect(keptPanels([said(0, { verdict: "like" }), said(4, { verdict: "like", state: "withdrawn" })])).toEqual([]);
});
