import { createEvent, fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { beforeEach, expect, test } from "vitest";

import { chat, entry, hello, id, page, status, sync, zhou } from "../../test/factories/room";
import { agent, fakeCalls, openRoom } from "../../test/room";
import { json, serve } from "../../test/server";
import { Composer } from "./Composer";
import { useDraft } from "./useDraft";

function Box() {
  const [draft, setDraft] = useDraft(agent);
  const [, redraw] = useState(0);
  return (
    <>
      <Composer draft={draft} onDraft={setDraft} />
      <button type="button" onClick={() => { redraw((n) => n + 1); }} />
    </>
  );
}

beforeEach(() => {
  sessionStorage.clear();
});

const box = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "对管家说" });
const press = (more: object) => {
  const event = createEvent.keyDown(box(), { key: "Enter", code: "Enter", ...more });
  fireEvent(box(), event);
  return event;
};

test("T21: Enter that confirms a candidate sends nothing, by the flag or by key code 229 alone", async () => {
  const { calls } = await openRoom(<Box />, { hello: [hello(1), sync(1)] });
  await userEvent.type(box(), "nihao");
  expect(press({ isComposing: true }).defaultPrevented).toBe(false);
  expect(press({ keyCode: 229 }).defaultPrevented).toBe(false);
  expect(press({ shiftKey: true }).defaultPrevented).toBe(false);
  expect(calls.say).not.toHaveBeenCalled();
  expect(press({ keyCode: 13 }).defaultPrevented).toBe(true);
  expect(calls.say.mock.calls.map((c) => c[1])).toEqual(["nihao"]);
  expect(box().value).toBe("");
});

test("nothing is sent when there is nothing to say; Shift+Enter breaks the line", async () => {
  const { calls } = await openRoom(<Box />, { hello: [hello(1), sync(1)] });
  await userEvent.type(box(), "  {Enter}");
  expect(calls.say).not.toHaveBeenCalled();
  await userEvent.clear(box());
  await userEvent.type(box(), "一{Shift>}{Enter}{/Shift}二");
  expect(box().value).toBe("一\n二");
});

test("a draft survives a reload, and is gone once it is sent", async () => {
  const first = await openRoom(<Box />, { hello: [hello(1), sync(1)] });
  await userEvent.type(box(), "写到一半");
  first.unmount();
  const second = await openRoom(<Box />, { hello: [hello(1), sync(1)] });
  expect(box().value).toBe("写到一半");
  await userEvent.type(box(), "{Enter}");
  second.unmount();
  await openRoom(<Box />, { hello: [hello(1), sync(1)] });
  expect(box().value).toBe("");
});

test("while the butler answers, what is sent waits above the box; only the own one can be taken back", async () => {
  const answering = status("answering", { turn: id(2, "T"), attempt: 1, reads: [id(1)] });
  const { world, calls } = await openRoom(<Box />, { newest: page([chat(1, "问")]), calls: fakeCalls(page([chat(1, "问")])), hello: [hello(3, answering), sync(3)] });
  await userEvent.type(box(), "再看看竞品{Enter}");
  expect(screen.getByRole("list", { name: "管家答完后会一起读的话" })).toHaveTextContent("林: 再看看竞品");
  const message = `${calls.say.mock.calls[0]?.[0].slice(0, 10) ?? ""}${"S".repeat(15)}0`;
  world.last.say(entry(chat(5, "再看看竞品", { ref: message })), entry(chat(6, "我也要", { actor: `user:${zhou}` })));
  await waitFor(() => { expect(screen.getAllByRole("listitem").map((l) => l.textContent)).toEqual(["林: 再看看竞品撤回", "周: 我也要"]); });
  expect(box().placeholder).toContain("2 条");
  await userEvent.click(screen.getByRole("button", { name: "撤回：再看看竞品" }));
  expect(calls.takeBack.mock.calls.map((c) => c[1])).toEqual([message]);
  world.last.say(entry(chat(5, "再看看竞品", { ref: message, rev: 7, body: { taken_back: true } })));
  await waitFor(() => { expect(screen.getAllByRole("listitem").length).toBe(1); });
});

test("T5: stop is for the turn that runs; while it stops the button says so, and the next turn has its own", async () => {
  const at = (turn: string) => status("answering", { turn, attempt: 1 });
  const { world, calls } = await openRoom(<Box />, { hello: [hello(3, at(id(2, "T"))), sync(3)] });
  await userEvent.click(await screen.findByRole("button", { name: "停止回答" }));
  expect(calls.stop.mock.calls.map((c) => c[1])).toEqual([id(2, "T")]);
  expect(screen.getByRole("button", { name: "正在停止" })).toBeDisabled();
  world.last.say({ type: "chat.status", seq: 5, status: at(id(5, "T")) });
  expect(await screen.findByRole("button", { name: "停止回答" })).toBeEnabled();
  world.last.say({ type: "chat.status", seq: 6, status: status("idle") });
  await waitFor(() => { expect(screen.queryByRole("button", { name: "停止回答" })).toBeNull(); });
});

const shelves = {
  [`GET /api/agents/${agent}/boards?limit=100`]: json({ boards: [{ board: "B1", title: "石桥 15 秒", panels: [] }], materials: {}, more: false }),
  [`GET /api/agents/${agent}/films?limit=100`]: json({ films: [{ film: "F1", board: "B1", media: {} }], boards: { B1: { title: "石桥 15 秒" } }, more: false }),
  [`GET /api/agents/${agent}/assets?limit=100`]: json({ assets: [{ asset: "A1", title: "自拍石桥", media: {} }], more: false }),
};

test("@ finds boards, films and assets too, each with its kind", async () => {
  serve({ ...shelves, [`GET /api/agents/${agent}/materials?limit=8&q=${encodeURIComponent("石桥")}`]: json({ materials: [], more: false }), [`GET /api/agents/${agent}/materials?limit=8&q=`]: json({ materials: [], more: false }) });
  const { calls } = await openRoom(<Box />, { hello: [hello(1), sync(1)] });
  await userEvent.type(box(), "@石桥");
  await waitFor(() => { expect(screen.getAllByRole("option").map((o) => o.textContent)).toEqual(["石桥 15 秒方案", "石桥 15 秒成片", "自拍石桥素材"]); });
  await userEvent.keyboard("{ArrowDown}{Enter}");
  await userEvent.keyboard("结尾太赶{Enter}");
  expect(calls.say.mock.calls.map((c) => [c[1], c[2]])).toEqual([["结尾太赶", [{ type: "film", id: "F1" }]]]);
});

test("@ finds materials; Enter cites the chosen one and sends it as a reference", async () => {
  const found = { materials: [{ material: "M1", title: "城墙崩塌", media: {} }, { material: "M2", title: "尸潮撞门", media: {} }], more: false };
  serve({
    ...shelves,
    [`GET /api/agents/${agent}/materials?limit=8&q=`]: json(found),
    [`GET /api/agents/${agent}/materials?limit=8&q=${encodeURIComponent("尸")}`]: json({ materials: found.materials.slice(1), more: false }),
  });
  const { calls } = await openRoom(<Box />, { hello: [hello(1), sync(1)] });
  await userEvent.type(box(), "看看@");
  expect((await screen.findAllByRole("option")).length).toBe(5);
  await userEvent.type(box(), "尸");
  await waitFor(() => { expect(screen.getAllByRole("option").length).toBe(1); });
  await userEvent.keyboard("{Enter}");
  expect(calls.say).not.toHaveBeenCalled();
  expect(screen.getByRole("list", { name: "引用" })).toHaveTextContent("尸潮撞门");
  await userEvent.keyboard("太慢{Enter}");
  expect(calls.say.mock.calls.map((c) => [c[1], c[2]])).toEqual([["看看太慢", [{ type: "material", id: "M2" }]]]);
});

test("an address in the text is no @", async () => {
  await openRoom(<Box />, { hello: [hello(1), sync(1)] });
  await userEvent.type(box(), "ada@example");
  expect(screen.queryByRole("listbox")).toBeNull();
});
