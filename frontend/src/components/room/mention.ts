/** The @ that is being written: where it begins and the words after it; null when the caret is not in one. */
export function mentionAt(text: string, caret: number): { from: number; words: string } | null {
  const found = /(?<![A-Za-z0-9._])@([^\s@]{0,40})$/u.exec(text.slice(0, caret));
  return found ? { from: found.index, words: found[1] ?? "" } : null;
}
