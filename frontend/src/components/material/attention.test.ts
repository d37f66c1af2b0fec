import { beforeEach, expect, test } from "vitest";

import { makeReporter } from "../../services/behavior";
import type { MaterialState } from "../../services/materials";
import { makeAttention } from "./attention";

function setup(states: Record<string, MaterialState>) {
  const sent: string[] = [];
  let reporter: ReturnType<typeof makeReporter> | undefined;
  const attention = makeAttention(
    "a1",
    { stateOf: (id) => states[id], show: (id, state) => { states[id] = state; } },
    (agent, ways) => {
      reporter = makeReporter(agent, {
        send: () => true,
        ...ways,
        sent: (type, id) => {
          sent.push(`${type} ${id}`);
          ways?.sent?.(type, id);
        },
      });
      return reporter;
    },
  );
  return { attention, states, flush: () => { reporter?.flush(); return sent; } };
}

beforeEach(() => { sessionStorage.clear(); });

test("seen shows at once, but what is adopted stays adopted", () => {
  const { attention, states, flush } = setup({ a: "new", b: "adopted" });
  attention.seen("a");
  attention.seen("b");
  expect(states).toEqual({ a: "seen", b: "adopted" });
  expect(flush()).toEqual(["material_viewed a", "material_viewed b"]);
});

test("only what nobody has looked at is ignored by scrolling past it", () => {
  const { attention, states, flush } = setup({ a: "new", b: "seen", c: "adopted" });
  for (const id of ["a", "b", "c"]) attention.passed(id);
  expect(states).toEqual({ a: "ignored", b: "seen", c: "adopted" });
  expect(flush()).toEqual(["material_ignored a"]);
});

test("a dismissal can be taken back until it is sent, and is not undone by being looked at", () => {
  const { attention, states, flush } = setup({ a: "new", b: "new" });
  let changes = 0;
  attention.subscribe(() => { changes++; });
  attention.dismiss("a");
  attention.dismiss("b");
  expect([...attention.dismissed()]).toEqual(["a", "b"]);
  attention.seen("a");
  attention.restore("b");
  expect([...attention.dismissed()]).toEqual(["a"]);
  expect(flush()).toEqual(["material_ignored a"]);
  expect(states).toEqual({ a: "ignored", b: "new" });
  expect(attention.dismissed().size).toBe(0);
  attention.restore("a");
  expect(states.a).toBe("ignored");
  expect(changes).toBe(4);
});
