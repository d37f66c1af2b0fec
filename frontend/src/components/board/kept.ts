import type { Feedback } from "../../services/feedback";

/** Words that ask for a panel to stay, and words that ask for another one. */
const keeps = /保留|留下|留着|要留|不要动|别动|不动|\bkeep\b/i;
const changes = /改|换|重做|重写|删|去掉|太|\bchange\b|\breplace\b|\bremove\b|\btoo\b/i;

/**
 * The numbers of the panels that people want kept, as the planner reads it: words
 * outweigh clicks and the newest words count; without words more likes than dislikes.
 */
export function keptPanels(feedback: Feedback[]): number[] {
  const decided = new Map<number, boolean>();
  const votes = new Map<number, number>();
  // Newest first.
  for (const f of feedback) {
    if (f.panel === 0 || f.state === "withdrawn") continue;
    votes.set(f.panel, (votes.get(f.panel) ?? 0) + (f.verdict === "like" ? 1 : f.verdict === "dislike" ? -1 : 0));
    if (decided.has(f.panel)) continue;
    if (keeps.test(f.words)) decided.set(f.panel, true);
    else if (changes.test(f.words)) decided.set(f.panel, false);
  }
  return [...votes.keys()].filter((n) => decided.get(n) ?? (votes.get(n) ?? 0) > 0).sort((a, b) => a - b);
}
