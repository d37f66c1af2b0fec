import { act, cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, expect, test, vi } from "vitest";

import type { Feedback } from "../../services/feedback";
import { Popover } from "../ui/Menu";
import { Reactions } from "./Reactions";

// The popover's code comes with the first one, and a click in a test does not wait for it.
beforeAll(async () => {
  await act(async () => {
    render(<Popover open label="" trigger={<button type="button" />} onOpenChange={() => undefined}>{null}</Popover>);
    await import("../ui/floating");
  });
  cleanup();
});

const like: Feedback = { id: "F1", object: "M1", panel: 0, range: null, verdict: "like", words: "", by: "U1", name: "林", written: false, at: new Date(), state: "open", settledIn: 0 };

function show(mine: Feedback | undefined, more: { busy?: boolean } = {}) {
  const onReact = vi.fn();
  const onUndo = vi.fn();
  render(<Reactions mine={mine} said={0} busy={more.busy ?? false} error={null} onReact={onReact} onUndo={onUndo} />);
  return { onReact, onUndo };
}

test("a press counts at once and offers a sentence, which Enter sends with the verdict", async () => {
  const { onReact } = show(undefined);
  await userEvent.click(screen.getByRole("button", { name: "踩" }));
  expect(onReact).toHaveBeenLastCalledWith({ verdict: "dislike", words: "" });
  await userEvent.type(await screen.findByRole("textbox"), "太慢了{Enter}");
  expect(onReact).toHaveBeenLastCalledWith({ verdict: null, words: "太慢了" }); // the verdict has not come back in this test
});

test("the standing verdict is pressed; pressing it again takes it back; the other one replaces it", async () => {
  const { onReact, onUndo } = show(like);
  const button = screen.getByRole("button", { name: "赞" });
  expect(button).toHaveAttribute("aria-pressed", "true");
  await userEvent.click(button);
  expect(onUndo).toHaveBeenCalledOnce();
  expect(onReact).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole("button", { name: "踩" }));
  expect(onReact).toHaveBeenCalledWith({ verdict: "dislike", words: "" });
});

test("a sentence is added to the standing verdict", async () => {
  const { onReact } = show(like);
  await userEvent.click(screen.getByRole("button", { name: "说一句" }));
  await userEvent.type(await screen.findByRole("textbox"), "第一刀就抓人{Enter}");
  expect(onReact).toHaveBeenCalledWith({ verdict: "like", words: "第一刀就抓人" });
});

test("what a version came of cannot be taken back, and says so", async () => {
  const { onUndo } = show({ ...like, state: "settled", settledIn: 6 });
  await userEvent.click(screen.getByRole("button", { name: "赞" }));
  expect(onUndo).not.toHaveBeenCalled();
  expect(await screen.findByText("已经写进 V6，不能撤回")).toBeVisible();
  expect(screen.queryByRole("button", { name: "撤回" })).toBeNull();
});

test("too long a sentence is not sent, nor an empty one, nor anything while busy", async () => {
  const { onReact } = show(like, { busy: true });
  await userEvent.click(screen.getByRole("button", { name: "踩" }));
  expect(onReact).not.toHaveBeenCalled();
});

test("an empty sentence and one over the limit stay in the box", async () => {
  const { onReact } = show(like);
  await userEvent.click(screen.getByRole("button", { name: "说一句" }));
  await userEvent.type(await screen.findByRole("textbox"), "  {Enter}");
  await userEvent.click(await screen.findByRole("textbox"));
  await userEvent.paste("字".repeat(2_001));
  expect(screen.getByText("最多 2000 个字")).toBeVisible();
  await userEvent.keyboard("{Enter}");
  expect(onReact).not.toHaveBeenCalled();
});
