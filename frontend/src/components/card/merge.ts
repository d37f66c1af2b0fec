// Carrying a card over to a newer version.

import { diffArrays } from "diff";

export type Merged = {
  text: string;
  /** Places that both sides changed; the lines of both stand there. */
  clashes: number;
};

/** Lays what changed between base and theirs over ours, line by line. */
export function merge(base: string, ours: string, theirs: string): Merged {
  const [b, o, t] = [base, ours, theirs].map((text) => (text === "" ? [] : text.split(/\r?\n/))) as [string[], string[], string[]];
  const [inO, inT] = [kept(b, o), kept(b, t)];
  const text: string[] = [];
  let clashes = 0;
  let [i, x, y] = [0, 0, 0];
  for (;;) {
    let k = i;
    while (k < b.length && (inO[k] === undefined || inT[k] === undefined)) k++;
    const [xEnd, yEnd] = [inO[k] ?? o.length, inT[k] ?? t.length];
    const [was, our, their] = [b.slice(i, k), o.slice(x, xEnd), t.slice(y, yEnd)];
    if (same(our, was)) text.push(...their);
    else if (same(their, was) || same(our, their)) text.push(...our);
    else {
      if (was.length > 0) clashes++;
      text.push(...our, ...their.filter((line) => !our.includes(line) && !was.includes(line)));
    }
    const line = b[k];
    if (line === undefined) return { text: text.join("\n"), clashes };
    text.push(line);
    [i, x, y] = [k + 1, xEnd + 1, yEnd + 1];
  }
}

/** Where each line of a stands in b; undefined if it does not. */
function kept(a: string[], b: string[]): (number | undefined)[] {
  const at: (number | undefined)[] = [];
  let n = 0;
  for (const hunk of diffArrays(a, b)) {
    if (hunk.added) n += hunk.value.length;
    else for (let i = 0; i < hunk.value.length; i++) at.push(hunk.removed ? undefined : n++);
  }
  return at;
}

const same = (a: string[], b: string[]) => a.length === b.length && a.every((line, i) => line === b[i]);
