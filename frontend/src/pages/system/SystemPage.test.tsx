import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import { expect, test } from "vitest";

import { session, system } from "../../test/factories/wire";
import { open } from "../../test/page";
import { json, problem, serve } from "../../test/server";

const all = (more: Record<string, Response> = {}) => serve({ "GET /api/session": json(session()), "GET /api/system": json(system()), ...more });

test("shows how far each read model is", async () => {
  all();
  const { container } = open("/system");
  const row = within(await screen.findByRole("row", { name: /tasks/ }));
  expect(row.getByText("正在建立")).toBeVisible();
  expect(row.getByText("4 条")).toBeVisible();
  const { violations } = await axe.run(container, { rules: { "color-contrast": { enabled: false } } });
  expect(violations.map((v) => v.id)).toEqual([]);
});

test("the rehearsal model is named as such, a real one by its name", async () => {
  all();
  const { unmount } = open("/system");
  expect(await screen.findByText(/不是真正的大模型/)).toBeVisible();
  unmount();
  all({ "GET /api/session": json(session({ model: { name: "claude-sonnet", rehearsal: false } })) });
  open("/system");
  expect(await screen.findByText("claude-sonnet")).toBeVisible();
  expect(screen.queryByText("演练模型")).toBeNull();
});

test("what is broken says so, with its number, and can be tried again", async () => {
  all({ "GET /api/system": problem(500, { code: "internal", detail: "something went wrong", id: "01JDZ0000000000000000000E1" }) });
  open("/system");
  expect(await screen.findByRole("alert")).toHaveTextContent("01JDZ0000000000000000000E1");
  all();
  await userEvent.click(screen.getByRole("button", { name: "再试一次" }));
  expect(await screen.findByRole("row", { name: /timeline/ })).toBeVisible();
  expect(screen.queryByRole("alert")).toBeNull();
});
