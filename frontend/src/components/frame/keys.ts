/** Where a g-sequence leads, by its second key. */
export const moves = { m: "materials", b: "boards", f: "films", g: "gene", t: "tasks", r: "room" } as const;
export type Move = (typeof moves)[keyof typeof moves];

/** What a key press asks the frame for; null: nothing, the page may have it. */
export type Wish = "palette" | "help" | "armed" | Move | null;

type Press = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "isComposing">;

/** armed: a g was pressed just before. typing: the focus is where letters are written. */
export function wishOf(press: Press, armed: boolean, typing: boolean): Wish {
  if (press.isComposing) return null;
  const key = press.key.toLowerCase();
  if ((press.ctrlKey || press.metaKey) && !press.altKey && key === "k") return "palette";
  if (typing || press.ctrlKey || press.metaKey || press.altKey) return null;
  if (armed) return Object.entries(moves).find(([k]) => k === key)?.[1] ?? null;
  if (press.key === "?" || press.key === "？") return "help";
  return key === "g" ? "armed" : null;
}

/** Whether letters pressed now are written somewhere. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}

/** The palette's key as this keyboard prints it. */
export const paletteKey = /mac|iphone|ipad/i.test(navigator.userAgent) ? "⌘K" : "Ctrl K";
