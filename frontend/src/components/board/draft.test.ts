import { expect, test } from "vitest";

import type { Clips, Panel } from "../../services/boards";
import { captionPanel, draftOf, movePanel, textOf, timePanel, troubles } from "./draft";

const panel = (number: number, more: Partial<Panel> = {}): Panel => ({ number, caption: `c${number}`, seconds: 2, material: "M1", from: number, to: number + 2, ...more });
const text = { title: "石桥", panels: [1, 2, 3].map((n) => panel(n)) };
const clips: Clips = { M1: { type: "material", title: "t", platform: "", seconds: 6, video: "/v", poster: null } };

test("a draft nobody touched is what it was", () => {
  expect(textOf(draftOf(text))).toEqual(text);
});

test("a moved panel keeps its picture and gets the number of its place; the ends hold", () => {
  const moved = textOf(movePanel(draftOf(text), 2, -1));
  expect(moved.panels.map((p) => [p.number, p.caption, p.from])).toEqual([[1, "c1", 1], [2, "c3", 3], [3, "c2", 2]]);
  const draft = draftOf(text);
  expect(movePanel(draft, 0, -1)).toBe(draft);
  expect(movePanel(draft, 2, 1)).toBe(draft);
});

test("a longer panel takes more of its clip from where it begins; one without a clip takes none", () => {
  expect(textOf(timePanel(draftOf(text), 1, 2.4)).panels[1]).toMatchObject({ seconds: 2.4, from: 2, to: 4.4 });
  const bare = { title: "t", panels: [panel(1, { material: "", from: 0, to: 0 })] };
  expect(textOf(timePanel(draftOf(bare), 0, 3)).panels[0]).toMatchObject({ seconds: 3, to: 0 });
});

test("what cannot be saved is named with its place", () => {
  const kinds = (draft: ReturnType<typeof draftOf>, most = 0) => troubles(draft, clips, most).map((w) => [w.kind, w.at, w.most]);
  expect(kinds(draftOf(text), 6)).toEqual([]);
  expect(kinds(draftOf(text), 5)).toEqual([["total", -1, 5]]);
  expect(kinds(timePanel(draftOf(text), 2, 3.2))).toEqual([["clip", 2, 3]]); // from second 3 of 6
  expect(kinds(timePanel(draftOf(text), 0, 0))).toEqual([["seconds", 0, 0.2]]);
  expect(kinds(timePanel(draftOf(text), 0, Number.NaN)).map(([kind]) => kind)).toContain("seconds");
  expect(kinds(captionPanel(draftOf(text), 1, "字".repeat(2_001)))).toEqual([["caption", 1, 2_000]]);
  expect(kinds({ ...draftOf(text), title: "  " })).toEqual([["title", -1, 500]]);
});
