import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";

import type { Connection } from "../../live/connection";
import { LiveState } from "./LiveState";

const said = (connection: Connection) => {
  const { unmount } = render(<LiveState connection={connection} onRetry={() => undefined} />);
  const text = screen.getByTestId("connection").textContent;
  unmount();
  return text;
};

test("every state has its words", () => {
  expect(said({ state: "live" })).toBe("实时");
  expect(said({ state: "connecting" })).toBe("正在连接…");
  expect(said({ state: "catching_up", behind: 12 })).toBe("正在追上 12 条");
  expect(said({ state: "not_allowed" })).toBe("没有权限");
});

test("a lost connection counts down and can be tried at once", async () => {
  const retry = vi.fn();
  render(<LiveState connection={{ state: "reconnecting", at: Date.now() + 4500, tries: 1 }} onRetry={retry} />);
  expect(screen.getByText("5 秒后重连")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "现在重连" }));
  expect(retry).toHaveBeenCalledOnce();
});
