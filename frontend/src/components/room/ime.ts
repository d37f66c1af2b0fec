/** Key code of a key that an input method took. Some browsers end the composition before this last key, so the flag alone does not tell. */
const takenByIme = 229;

type Key = { key: string; shiftKey: boolean; altKey: boolean; ctrlKey: boolean; metaKey: boolean; keyCode: number; isComposing: boolean };

/** Whether an input method is using this key, as Enter does to confirm a candidate. */
export const isComposing = (e: Pick<Key, "keyCode" | "isComposing">): boolean => e.isComposing || e.keyCode === takenByIme;

/** Whether a key sends: Enter alone, or with ⌘ or Ctrl, unless an input method uses it. */
export const sends = (e: Key): boolean => e.key === "Enter" && !e.shiftKey && !e.altKey && !isComposing(e);
