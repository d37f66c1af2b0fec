import type { ReactNode } from "react";

const tones = {
  quiet: "border-line-strong text-muted",
  strong: "border-text bg-text text-surface",
  good: "border-good/40 bg-good-ground text-good",
  bad: "border-bad/40 bg-bad-ground text-bad",
  warn: "border-warn/40 bg-warn-ground text-warn",
};

/** A word or a number in a pill. Colour never speaks alone: the word is inside. */
export function Badge({ tone = "quiet", children, className = "" }: { tone?: keyof typeof tones; children: ReactNode; className?: string }) {
  return <span className={`inline-flex items-center gap-1 whitespace-nowrap rounded-full border px-2 text-xs leading-[18px] ${tones[tone]} ${className}`}>{children}</span>;
}

/** A gene version: V5. */
export function Version({ n, className = "" }: { n: number; className?: string }) {
  return <span className={`whitespace-nowrap rounded-full border border-line-strong px-1.5 font-mono text-[11px] font-semibold leading-[17px] text-muted ${className}`}>{`V${n}`}</span>;
}

/** How many, beside what. Strong when they are new to the reader. */
export function Count({ n, fresh = false }: { n: number | string; fresh?: boolean }) {
  return <span className={`font-mono text-[11px] font-semibold leading-4 ${fresh ? "rounded-full bg-text px-1.5 text-surface" : "text-muted"}`}>{n}</span>;
}
