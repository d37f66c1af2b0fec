import { makeReporter, type Reporter } from "../../services/behavior";
import type { MaterialState } from "../../services/materials";

/** How long a dismissal can be taken back, in ms. */
export const undoMs = 6_000;

type Lists = {
  /** The state that the loaded lists show. */
  stateOf: (id: string) => MaterialState | undefined;
  show: (id: string, state: MaterialState) => void;
};

export type Attention = {
  seen: (id: string) => void;
  passed: (id: string) => void;
  dismiss: (id: string) => void;
  restore: (id: string) => void;
  /** What was put aside and can still be taken back; another set after each change. */
  dismissed: () => ReadonlySet<string>;
  subscribe: (changed: () => void) => () => void;
  start: Reporter["start"];
};

const refOf = (id: string) => ({ type: "material", id });

/** What a reader looks at, passes by and puts aside: shown in the lists at once, and told to the server. */
export function makeAttention(agent: string, lists: Lists, make: typeof makeReporter = makeReporter): Attention {
  let aside: ReadonlySet<string> = new Set();
  const listeners = new Set<() => void>();
  const put = (id: string, on: boolean) => {
    aside = on ? new Set([...aside, id]) : new Set([...aside].filter((other) => other !== id));
    for (const changed of listeners) changed();
  };
  const reporter = make(agent, {
    sent: (type, id) => {
      if (type !== "material_ignored" || !aside.has(id)) return;
      lists.show(id, "ignored");
      put(id, false);
    },
  });
  return {
    seen: (id) => {
      if (aside.has(id) || !reporter.note("material_viewed", refOf(id))) return;
      if (lists.stateOf(id) !== "adopted") lists.show(id, "seen");
    },
    passed: (id) => {
      // Only what nobody has looked at yet is ignored by scrolling past it.
      if (lists.stateOf(id) !== "new" || aside.has(id)) return;
      if (reporter.note("material_ignored", refOf(id))) lists.show(id, "ignored");
    },
    dismiss: (id) => {
      if (reporter.note("material_ignored", refOf(id), undoMs)) put(id, true);
      else lists.show(id, "ignored"); // this session has said so before
    },
    restore: (id) => {
      if (reporter.takeBack("material_ignored", id)) put(id, false);
    },
    dismissed: () => aside,
    subscribe: (changed) => {
      listeners.add(changed);
      return () => { listeners.delete(changed); };
    },
    start: reporter.start,
  };
}
