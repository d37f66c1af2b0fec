import { useState } from "react";

import type { Ref } from "../../live/wire";

/** Something that the draft cites, with the title to show. */
export type Cite = { ref: Ref; title: string };
export type Draft = { text: string; cites: Cite[] };

export const noDraft: Draft = { text: "", cites: [] };

const place = (agent: string) => `sozai.draft.${agent}`;

function load(agent: string): Draft {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(place(agent)) ?? "null");
    return isDraft(stored) ? stored : noDraft;
  } catch {
    return noDraft;
  }
}

function isDraft(d: unknown): d is Draft {
  return typeof d === "object" && d !== null && "text" in d && typeof d.text === "string" && "cites" in d && Array.isArray(d.cites);
}

/** What is written and not sent yet. It survives a reload. */
export function useDraft(agent: string): [Draft, (draft: Draft) => void] {
  const [draft, setDraft] = useState(() => load(agent));
  return [
    draft,
    (next) => {
      setDraft(next);
      if (next.text === "" && next.cites.length === 0) localStorage.removeItem(place(agent));
      else localStorage.setItem(place(agent), JSON.stringify(next));
    },
  ];
}
