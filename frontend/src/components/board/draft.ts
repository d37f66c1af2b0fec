// A board while a person changes it: pure steps from one list of panels to the next.

import { type BoardText, type Clips, lengthOf, type Panel } from "../../services/boards";

/** A panel under way. key stays with it wherever it moves. */
export type DraftPanel = Panel & { key: string };
export type BoardDraft = { title: string; panels: DraftPanel[] };

export const longestCaption = 2_000;
export const longestTitle = 500;
/** Less than that is a flicker, not a picture. */
export const shortest = 0.2;

export const draftOf = (text: BoardText): BoardDraft => ({ title: text.title, panels: text.panels.map((p) => ({ ...p, key: String(p.number) })) });

/** What is sent: numbered from 1 in the new order. */
export const textOf = (draft: BoardDraft): BoardText => ({
  title: draft.title.trim(),
  panels: draft.panels.map(({ caption, seconds, material, from, to }, i) => ({ number: i + 1, caption: caption.trim(), seconds, material, from, to })),
});

/** Moves the panel at a place by some places; the ends hold. */
export function movePanel(draft: BoardDraft, from: number, by: number): BoardDraft {
  const to = from + by;
  const panel = draft.panels[from];
  if (panel === undefined || to < 0 || to >= draft.panels.length) return draft;
  const panels = draft.panels.filter((_, i) => i !== from);
  panels.splice(to, 0, panel);
  return { ...draft, panels };
}

export function captionPanel(draft: BoardDraft, at: number, caption: string): BoardDraft {
  return { ...draft, panels: draft.panels.map((p, i) => (i === at ? { ...p, caption } : p)) };
}

/** Makes a panel so long; the stretch of its clip grows or shrinks with it, from where it begins. */
export function timePanel(draft: BoardDraft, at: number, seconds: number): BoardDraft {
  return {
    ...draft,
    panels: draft.panels.map((p, i) => (i === at ? { ...p, seconds, to: p.material === "" ? p.to : round(p.from + (Number.isFinite(seconds) ? seconds : 0)) } : p)),
  };
}

const round = (n: number) => Math.round(n * 1000) / 1000;

export type Trouble = { kind: "title" | "caption" | "seconds" | "clip" | "total"; /** The place of the panel, -1: the whole. */ at: number; most: number };

/** What stands against saving. maxSeconds 0: a film may have any length. */
export function troubles(draft: BoardDraft, clips: Clips, maxSeconds: number): Trouble[] {
  const found: Trouble[] = [];
  if (draft.title.trim() === "" || Array.from(draft.title).length > longestTitle) found.push({ kind: "title", at: -1, most: longestTitle });
  draft.panels.forEach((p, at) => {
    if (Array.from(p.caption).length > longestCaption) found.push({ kind: "caption", at, most: longestCaption });
    if (!(p.seconds >= shortest)) found.push({ kind: "seconds", at, most: shortest });
    const clip = clips[p.material];
    if (clip && clip.seconds > 0 && p.to > clip.seconds + 0.05) found.push({ kind: "clip", at, most: round(Math.max(0, clip.seconds - p.from)) });
  });
  const total = lengthOf(draft.panels);
  if (maxSeconds > 0 && total > maxSeconds + 0.001) found.push({ kind: "total", at: -1, most: maxSeconds });
  return found;
}
