import { expect, test } from "vitest";

import { addCall, addText, type Answer, answerFor, blocksOf } from "./answer";

const begun = (attempt = 1): Answer => {
  const answer = answerFor(null, "t1", attempt);
  if (answer === null) throw new Error("no answer");
  return answer;
};
const piece = (offset: number, text: string) => ({ turn: "t1", attempt: 1, offset, text });
const bytes = (s: string) => new TextEncoder().encode(s).length;

test("pieces that overlap, come twice or in the wrong order make one text", () => {
  const whole = "两条都核实过：平均镜头 3.8 秒。🎬 ok";
  const cut = Array.from(whole).map((_, i, all) => [bytes(all.slice(0, i).join("")), all.slice(i, i + 4).join("")] as const);
  const orders = [cut, [...cut].reverse(), [...cut, ...cut], [[0, whole] as const, ...cut]];
  for (const order of orders) {
    const answer = order.reduce((a, [offset, text]) => addText(a, piece(offset, text)), begun());
    expect([answer.text, answer.bytes, answer.held.length]).toEqual([whole, bytes(whole), 0]);
  }
});

test("what lies beyond a hole waits and does not show", () => {
  const holed = addText(addText(begun(), piece(0, "一")), piece(6, "三"));
  expect(holed.text).toBe("一");
  expect(addText(holed, piece(3, "二")).text).toBe("一二三");
});

test("a newer attempt begins anew, an older one is refused", () => {
  const first = addText(begun(1), piece(0, "旧"));
  expect(answerFor(first, "t1", 1)).toBe(first);
  expect(answerFor(first, "t1", 2)?.text).toBe("");
  expect(answerFor(answerFor(first, "t1", 2), "t1", 1)).toBeNull();
  expect(answerFor(null, "", 1)).toBeNull();
});

test("calls cut the text where they stand, in bytes, and what a call made follows it", () => {
  let answer = addText(begun(), piece(0, "先看看。好了。"));
  const call = { turn: "t1", attempt: 1, offset: bytes("先看看。"), call: "c1", tool: "propose_gene_card", state: "started" as const };
  answer = addCall(answer, call);
  expect(blocksOf(answer).map((b) => [b.type, b.text ?? b.outcome])).toEqual([["text", "先看看。"], ["tool", "running"], ["text", "好了。"]]);
  answer = addCall(answer, { ...call, state: "ended", outcome: "ok", kind: "card", ref: "k1", seconds: 1 });
  answer = addCall(answer, call); // the beginning once more, too late
  expect(blocksOf(answer).map((b) => [b.type, b.ref ?? b.text ?? b.outcome])).toEqual([["text", "先看看。"], ["tool", "ok"], ["card", "k1"], ["text", "好了。"]]);
});
