import { memo, useMemo } from "react";

import { type Inline, type MarkdownBlock, readMarkdown } from "./markdown";

/** What the butler wrote. No HTML of the text's own gets in, pictures are named instead of loaded, and links leave in a tab of their own that knows nothing of this one. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => readMarkdown(text), [text]);
  return (
    <div className="grid min-w-0 gap-1.5 [overflow-wrap:anywhere]">
      <Blocks blocks={blocks} />
    </div>
  );
});

// Blocks and what is in them have no identity but their place.
function Blocks({ blocks }: { blocks: MarkdownBlock[] }) {
  return blocks.map((block, i) => <Block key={i} block={block} />);
}

function Block({ block }: { block: MarkdownBlock }) {
  switch (block.kind) {
    case "p":
      return <p className="whitespace-pre-wrap"><Line inlines={block.children} /></p>;
    case "h":
      return <p className="mt-0.5 font-semibold"><Line inlines={block.children} /></p>;
    case "pre":
      return <pre className="overflow-x-auto rounded-control bg-sunken p-2.5 font-mono text-xs">{block.text}</pre>;
    case "quote":
      return <blockquote className="grid gap-1.5 border-l-2 border-line-strong pl-3 text-muted"><Blocks blocks={block.blocks} /></blockquote>;
    case "hr":
      return <hr className="my-0.5 border-line" />;
    case "list": {
      const items = block.items.map((item, i) => <li key={i}><Blocks blocks={item} /></li>);
      return block.start === null ? <ul className="list-disc pl-5">{items}</ul> : <ol start={block.start} className="list-decimal pl-6">{items}</ol>;
    }
    case "table":
      return <Table head={block.head} rows={block.rows} />;
  }
}

function Table({ head, rows }: { head: Inline[][]; rows: Inline[][][] }) {
  return (
    <div className="overflow-x-auto">
      <table className="border-collapse text-sm">
        <thead>
          <tr>{head.map((cell, i) => <th key={i} scope="col" className="border border-line bg-sunken px-2 py-1 text-left font-medium"><Line inlines={cell} /></th>)}</tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>{head.map((_, n) => <td key={n} className="border border-line px-2 py-1 tabular-nums"><Line inlines={row[n] ?? []} /></td>)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Line({ inlines }: { inlines: Inline[] }) {
  return inlines.map((part, i) => <Part key={i} part={part} />);
}

function Part({ part }: { part: Inline }) {
  switch (part.kind) {
    case "text":
      return part.text;
    case "code":
      return <code className="rounded bg-sunken px-1 font-mono text-[0.9em]">{part.text}</code>;
    case "strong":
      return <strong className="font-semibold"><Line inlines={part.children} /></strong>;
    case "em":
      return <em><Line inlines={part.children} /></em>;
    case "del":
      return <del><Line inlines={part.children} /></del>;
    case "link":
      return <a href={part.href} target="_blank" rel="noopener noreferrer nofollow" className="underline underline-offset-4"><Line inlines={part.children} /></a>;
  }
}
