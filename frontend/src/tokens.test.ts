import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

const css = readFileSync("src/index.css", "utf8");

function tokens(selector: string): Record<string, string> {
  const block = new RegExp(`^${selector} \\{([^}]*)\\}`, "m").exec(css)?.[1] ?? "";
  return Object.fromEntries(Array.from(block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g), (m) => [m[1] ?? "", m[2] ?? ""]));
}

// WCAG 2.2 relative luminance and contrast.
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((i) => {
    const c = parseInt(hex.slice(i, i + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

const grounds = ["canvas", "surface", "sunken"];
const pairs: [string, string, number][] = [
  ...grounds.flatMap((g): [string, string, number][] => [
    ["text", g, 4.5],
    ["muted", g, 4.5],
    ["good", g, 4.5],
    ["bad", g, 4.5],
    ["warn", g, 4.5],
    ["focus", g, 3],
  ]),
  ["bad", "bad-ground", 4.5],
  ["warn", "warn-ground", 4.5],
  ["on-ink", "ink", 4.5],
  ["on-ink", "ink-raised", 4.5],
  ["on-ink", "ink-add", 4.5],
  ["on-ink", "ink-del", 4.5],
  ["on-ink-muted", "ink", 4.5],
  ["text", "add", 4.5],
  ["text", "del", 4.5],
  ["good", "good-ground", 4.5],
  ["control-line", "surface", 3],
];

test.each([":root", '\\[data-theme="dark"\\]'])("%s: every text stands out from its ground (AA)", (selector) => {
  const t = tokens(selector);
  const weak = pairs
    .map(([front, ground, least]) => ({ front, ground, least, ratio: contrast(t[front] ?? "", t[ground] ?? "") }))
    .filter(({ ratio, least }) => !(ratio >= least))
    .map(({ front, ground, ratio }) => `${front} on ${ground}: ${ratio.toFixed(2)}`);
  expect(weak).toEqual([]);
});

test("both themes name the same colours", () => {
  expect(Object.keys(tokens('\\[data-theme="dark"\\]')).sort()).toEqual(Object.keys(tokens(":root")).sort());
});
