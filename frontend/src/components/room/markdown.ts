// A reader for the Markdown that a model writes: paragraphs, headings, lists, quotes,
// code, tables, and what stands inside a line. It makes plain data, never HTML: what
// it does not know stays text. A line after a list ends the list, and ** closes beside
// a Chinese mark too, both unlike CommonMark, both as people mean it.

export type Inline =
  | { kind: "text" | "code"; text: string }
  | { kind: "strong" | "em" | "del"; children: Inline[] }
  | { kind: "link"; href: string; children: Inline[] };

export type MarkdownBlock =
  | { kind: "p" | "h"; children: Inline[] }
  | { kind: "pre"; text: string }
  | { kind: "quote"; blocks: MarkdownBlock[] }
  | { kind: "list"; start: number | null; items: MarkdownBlock[][] }
  | { kind: "table"; head: Inline[][]; rows: Inline[][][] }
  | { kind: "hr" };

const deepest = 8;

const fence = /^ {0,3}(`{3,}|~{3,})/;
const heading = /^ {0,3}#{1,6}\s+(.+?)\s*#*$/;
const rule = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const quote = /^ {0,3}> ?/;
const marker = /^( *)(?:[-*+]|(\d{1,9})[.)])(?: +|$)/;
const divider = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

/** Reads a text into blocks. */
export function readMarkdown(text: string): MarkdownBlock[] {
  return blocksOf(text.replace(/\r\n?/g, "\n").replace(/\t/g, "    ").split("\n"), 0);
}

function blocksOf(lines: string[], depth: number): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  let at = 0;
  const line = (i = at) => lines[i] ?? "";
  /** Takes lines while they belong, from the present one on. */
  const takeWhile = (belongs: (l: string, i: number) => boolean): string[] => {
    const from = at;
    while (at < lines.length && belongs(line(), at)) at++;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const opened = fence.exec(line())?.[1];
    const title = heading.exec(line())?.[1];
    if (line().trim() === "") {
      at++;
    } else if (opened !== undefined) {
      at++;
      const code = takeWhile((l) => !l.trim().startsWith(opened));
      at++;
      blocks.push({ kind: "pre", text: code.join("\n") });
    } else if (title !== undefined) {
      blocks.push({ kind: "h", children: readInline(title) });
      at++;
    } else if (rule.test(line())) {
      blocks.push({ kind: "hr" });
      at++;
    } else if (quote.test(line()) && depth < deepest) {
      blocks.push({ kind: "quote", blocks: blocksOf(takeWhile((l) => quote.test(l)).map((l) => l.replace(quote, "")), depth + 1) });
    } else if (isTable(line(), line(at + 1))) {
      const [head = "", , ...rows] = takeWhile((l) => l.includes("|"));
      blocks.push({ kind: "table", head: cellsOf(head), rows: rows.map(cellsOf) });
    } else if (marker.test(line()) && depth < deepest) {
      const indent = marker.exec(line())?.[1]?.length ?? 0;
      const numbered = marker.exec(line())?.[2];
      const items = takeWhile((l, i) => belongsToList(l, indent, numbered !== undefined, line(i + 1)));
      blocks.push({ kind: "list", start: numbered === undefined ? null : Number(numbered), items: itemsOf(items, indent).map((item) => blocksOf(item, depth + 1)) });
    } else {
      const first = at;
      const words = takeWhile((l, i) => i === first || !interrupts(l, line(i + 1), depth));
      blocks.push({ kind: "p", children: readInline(words.map((l) => l.trim()).join("\n")) });
    }
  }
  return blocks;
}

const isTable = (head: string, second: string) => head.includes("|") && second.includes("-") && second.includes("|") && divider.test(second);

/** Whether a line ends a paragraph. A number begins a list there only as 1: "2026. " may just begin a line. */
function interrupts(l: string, next: string, depth: number): boolean {
  const list = marker.exec(l);
  const begins = list !== null && depth < deepest && (list[2] === undefined || list[2] === "1");
  return l.trim() === "" || fence.test(l) || heading.test(l) || rule.test(l) || (quote.test(l) && depth < deepest) || begins || isTable(l, next);
}

function belongsToList(l: string, indent: number, numbered: boolean, next: string): boolean {
  if (l.trim() === "") return next.trim() !== "" && belongsToList(next, indent, numbered, "");
  const m = marker.exec(l);
  const deeper = l.length - l.trimStart().length > indent;
  return deeper || (m !== null && !rule.test(l) && m[1]?.length === indent && (m[2] !== undefined) === numbered);
}

function itemsOf(lines: string[], indent: number): string[][] {
  const items: string[][] = [];
  let width = 0;
  for (const l of lines) {
    const m = marker.exec(l);
    if (m !== null && m[1]?.length === indent) {
      width = m[0].length;
      items.push([l.slice(width)]);
    } else {
      items.at(-1)?.push(l.slice(Math.min(width, l.length - l.trimStart().length)));
    }
  }
  return items;
}

const cellsOf = (l: string): Inline[][] =>
  l.trim().replace(/^\||(?<!\\)\|$/g, "").split(/(?<!\\)\|/).map((cell) => readInline(cell.trim().replace(/\\\|/g, "|")));

// In the order in which they win at one place.
const inlines: [RegExp, (m: RegExpExecArray) => Inline][] = [
  [/\\([!-/:-@[-`{-~])/y, (m) => ({ kind: "text", text: m[1] ?? "" })],
  [/(`+)([\s\S]*?[^`])\1(?!`)/y, (m) => ({ kind: "code", text: (m[2] ?? "").trim() })],
  // Pictures are named, not loaded.
  [/!\[([^\]]*)\]\(([^()\s]*)[^()]*\)/y, (m) => ({ kind: "text", text: `[${m[1] === "" ? (m[2] ?? "") : (m[1] ?? "")}]` })],
  [/\[((?:[^[\]]|\[[^[\]]*\])+)\]\(<?((?:[^()\s<>]|\([^()\s]*\))*)>?(?:\s+"[^"]*")?\)/y, (m) => linkTo(m[2] ?? "", readInline(m[1] ?? ""), m[0])],
  [/<((?:https?:\/\/|mailto:)[^<>\s]+)>/y, (m) => linkTo(m[1] ?? "", [{ kind: "text", text: m[1] ?? "" }], m[0])],
  [/https?:\/\/[^\s<>\u3000-\u303f\uff00-\uffef]*[^\s<>\u3000-\u303f\uff00-\uffef.,;:!?'")\]*_]/y, (m) => linkTo(m[0], [{ kind: "text", text: m[0] }], m[0])],
  [/\*\*(?=\S)([\s\S]*?[^\s*])\*\*/y, (m) => ({ kind: "strong", children: readInline(m[1] ?? "") })],
  [/(?<![\p{L}\p{N}_])__(?=\S)([\s\S]*?\S)__(?![\p{L}\p{N}_])/uy, (m) => ({ kind: "strong", children: readInline(m[1] ?? "") })],
  [/~~(?=\S)([\s\S]*?\S)~~/y, (m) => ({ kind: "del", children: readInline(m[1] ?? "") })],
  [/\*(?=[^\s*])([^*]*[^\s*])\*(?!\*)/y, (m) => ({ kind: "em", children: readInline(m[1] ?? "") })],
  [/(?<![\p{L}\p{N}_])_(?=[^\s_])([^_]*[^\s_])_(?![\p{L}\p{N}_])/uy, (m) => ({ kind: "em", children: readInline(m[1] ?? "") })],
];

const special = /[\\`!*_~[<h]/g;

/** Reads what stands inside a line. */
export function readInline(text: string): Inline[] {
  const out: Inline[] = [];
  let plain = 0;
  const upTo = (end: number) => {
    if (end > plain) out.push({ kind: "text", text: text.slice(plain, end) });
  };
  special.lastIndex = 0;
  for (let at = nextSpecial(text, 0); at < text.length; ) {
    const found = matchAt(text, at);
    if (found === null) {
      at = nextSpecial(text, at + 1);
      continue;
    }
    upTo(at);
    out.push(found.node);
    plain = found.end;
    at = nextSpecial(text, plain);
  }
  upTo(text.length);
  return out;
}

function nextSpecial(text: string, from: number): number {
  special.lastIndex = from;
  return special.exec(text)?.index ?? text.length;
}

function matchAt(text: string, at: number): { node: Inline; end: number } | null {
  for (const [pattern, make] of inlines) {
    pattern.lastIndex = at;
    const m = pattern.exec(text);
    if (m !== null) return { node: make(m), end: at + m[0].length };
  }
  return null;
}

// Only addresses that a page may open; anything else stays as it was written.
function linkTo(href: string, children: Inline[], written: string): Inline {
  return /^(?:https?:\/\/|mailto:)/i.test(href) ? { kind: "link", href, children } : { kind: "text", text: written };
}
