import type { IconName } from "../ui/Icon";

/** Something the palette can do. */
export type Item = { id: string; group: string; label: string; hint?: string; icon: IconName; run: () => void };

/** Every word of the query is somewhere in the label. */
export function matches(label: string, query: string): boolean {
  const text = label.toLowerCase();
  return query.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

/** What fits the query; what begins with it first, else in the given order. */
export function find(items: Item[], query: string): Item[] {
  const q = query.trim();
  if (q === "") return items;
  const hits = items.filter((item) => matches(`${item.label} ${item.group}`, q));
  const begins = (item: Item) => item.label.toLowerCase().startsWith(q.toLowerCase());
  return [...hits.filter(begins), ...hits.filter((item) => !begins(item))];
}

/** The items under their groups' names, groups in order of first appearance. */
export function grouped(items: Item[]): { name: string; items: Item[] }[] {
  const names = [...new Set(items.map((item) => item.group))];
  return names.map((name) => ({ name, items: items.filter((item) => item.group === name) }));
}
