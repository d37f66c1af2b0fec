import { expect, test } from "vitest";

import { type Inline, type MarkdownBlock, readInline, readMarkdown } from "./markdown";

// A short way to write what was read.
const said = (inlines: Inline[]): string =>
  inlines
    .map((i) => {
      if ("text" in i) return i.kind === "code" ? `c(${i.text})` : i.text;
      return i.kind === "link" ? `a(${i.href}|${said(i.children)})` : `${i.kind}(${said(i.children)})`;
    })
    .join("");
const shape = (blocks: MarkdownBlock[]): unknown[] =>
  blocks.map((b) => {
    switch (b.kind) {
      case "p":
      case "h":
        return `${b.kind}: ${said(b.children)}`;
      case "pre":
        return `pre: ${b.text}`;
      case "hr":
        return "hr";
      case "quote":
        return ["quote", ...shape(b.blocks)];
      case "list":
        return [b.start ?? "-", ...b.items.map(shape)];
      case "table":
        return ["table", b.head.map(said), ...b.rows.map((r) => r.map(said))];
    }
  });

test.each([
  ["**3.8 秒**，*偏慢*", "strong(3.8 秒)，em(偏慢)"],
  ["**“重点：”**后文 **a *b* c**", "strong(“重点：”)后文 strong(a em(b) c)"],
  ["read_performance 和 _斜_ 和 __粗__", "read_performance 和 em(斜) 和 strong(粗)"],
  ["`a *b*` 和 ``c ` d``", "c(a *b*) 和 c(c ` d)"],
  ["~~旧~~ 5 * 3 * 2, 2 ** 3", "del(旧) 5 * 3 * 2, 2 ** 3"],
  ["\\*不是\\* \\[x\\]", "*不是* [x]"],
  ["[去](https://example.org/a_(b) \"t\")。", "a(https://example.org/a_(b)|去)。"],
  ["看 https://example.org/x_y?a=1。然后", "看 a(https://example.org/x_y?a=1|https://example.org/x_y?a=1)。然后"],
  ["<https://example.org>", "a(https://example.org|https://example.org)"],
  ["[坏](javascript:alert(1)) [data](data:text/html,x) [//](//evil)", "[坏](javascript:alert(1)) [data](data:text/html,x) [//](//evil)"],
  ["![图](https://example.org/t.png)", "[图]"],
  ["<img src=x onerror=1> 1 < 2 & <b>", "<img src=x onerror=1> 1 < 2 & <b>"],
  ["**没有结束", "**没有结束"],
])("inline: %s", (text, want) => {
  expect(said(readInline(text))).toBe(want);
});

test("paragraphs keep their lines; a list ends at the next plain line", () => {
  expect(shape(readMarkdown("现在是 V1。\n检索需求：\n- 题材\n- 画面\n创意规则：\n- 开头"))).toEqual(["p: 现在是 V1。\n检索需求：", ["-", ["p: 题材"], ["p: 画面"]], "p: 创意规则：", ["-", ["p: 开头"]]]);
});

test("lists nest, count from where they say, and hold more than one paragraph", () => {
  expect(shape(readMarkdown("3. 三\n   还是三\n\n   另一段\n4. 四\n   - 里面\n     - 更里面"))).toEqual([[3, ["p: 三\n还是三", "p: 另一段"], ["p: 四", ["-", ["p: 里面", ["-", ["p: 更里面"]]]]]]]);
  expect(shape(readMarkdown("今年是\n2026. 年"))).toEqual(["p: 今年是\n2026. 年"]);
});

test("headings, rules, quotes and code", () => {
  expect(shape(readMarkdown("## 结论 ##\n---\n> 他说\n> - 一\n\n```js\na\n\n- b\n```\n完"))).toEqual(["h: 结论", "hr", ["quote", "p: 他说", ["-", ["p: 一"]]], "pre: a\n\n- b", "p: 完"]);
  expect(shape(readMarkdown("```\n还没写完"))).toEqual(["pre: 还没写完"]);
});

test("tables, with a bar inside a cell", () => {
  expect(shape(readMarkdown("| 版本 | 采用 |\n|:--|--:|\n| V4 | 7 \\| 8 |\n| V5 | **9** |\n完"))).toEqual([["table", ["版本", "采用"], ["V4", "7 | 8"], ["V5", "strong(9)"]], "p: 完"]);
});

test("nothing is lost and nothing hangs, whatever is written", () => {
  const letters = "*_`~[]()<>!#->|1. \\\nhttps://a中";
  let seed = 7;
  const random = (n: number) => (seed = (seed * 48271) % 2147483647) % n;
  for (let i = 0; i < 2000; i++) {
    const text = Array.from({ length: random(60) }, () => letters[random(letters.length)]).join("");
    expect(Array.isArray(readMarkdown(text))).toBe(true);
  }
  for (const part of ["**", "[", "`", "> ", "- ", "~~a", "https://", "_a "]) {
    const start = performance.now();
    readMarkdown(part.repeat(8_000 / part.length));
    expect(performance.now() - start).toBeLessThan(1500);
  }
});
