import { linesOf } from "../../components/card/words";
import type { Document, Version } from "../../services/genes";

/**
 * The version that each line of a document came with as it reads now, by the
 * line's text. list is newest first.
 */
export function birthsOf(list: readonly Version[], version: number, document: Document): Map<string, Version> {
  const births = new Map<string, Version>();
  let alive: ReadonlySet<string> | undefined;
  for (const v of list) {
    if (v.version > version) continue;
    const lines = new Set(linesOf(v[document]));
    const still: ReadonlySet<string> = alive === undefined ? lines : common(alive, lines);
    for (const line of still) births.set(line, v);
    if (still.size === 0) break;
    alive = still;
  }
  return births;
}

const common = (a: ReadonlySet<string>, b: ReadonlySet<string>) => new Set([...a].filter((line) => b.has(line)));
