import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";

import { session } from "../../test/factories/wire";
import { open } from "../../test/page";
import { empty, json, problem, serve } from "../../test/server";

const link = json({ purpose: "first_admin", admin: true, products: null, expires: "2026-12-01T10:00:00Z" });
const gone = problem(404, { code: "not_found", reason: "link_gone", detail: "this link is unknown, expired or was used" });

const fill = async (name: string, password: string, again = password) => {
  const user = userEvent.setup();
  await user.type(await screen.findByLabelText("名字"), name);
  await user.type(screen.getByLabelText("密码"), password);
  await user.type(screen.getByLabelText("再输一次密码"), again);
  await user.keyboard("{Enter}");
};

test("makes the first administrator and signs in", async () => {
  const asked = serve({ "GET /api/links/abc": link, "POST /api/links/abc": empty(), "GET /api/session": json(session()) });
  const { router } = open("/link/abc");
  expect(await screen.findByRole("heading", { name: "创建第一位管理员" })).toBeVisible();
  await fill("林", "long enough one");
  await waitFor(() => { expect(router.state.location.pathname).toBe("/"); });
  expect(await asked[1]?.json()).toEqual({ name: "林", password: "long enough one" });
});

test("a password that is short or typed differently is not sent", async () => {
  const asked = serve({ "GET /api/links/abc": link });
  open("/link/abc");
  await fill("林", "short");
  expect(screen.getByLabelText("密码")).toHaveAccessibleDescription("密码至少要 10 个字符");
  await userEvent.clear(screen.getByLabelText("名字"));
  await userEvent.clear(screen.getByLabelText("密码"));
  await userEvent.clear(screen.getByLabelText("再输一次密码"));
  await fill("林", "long enough one", "long enough two");
  expect(screen.getByLabelText("再输一次密码")).toHaveAccessibleDescription("两次输入的密码不一样");
  expect(asked).toHaveLength(1);
});

test("a used link says what to do, also when it was used while the form was open", async () => {
  serve({ "GET /api/links/abc": gone });
  const { unmount } = open("/link/abc");
  expect(await screen.findByRole("heading", { name: "这个链接不能用了" })).toBeVisible();
  expect(screen.getByRole("link", { name: "去登录" })).toHaveAttribute("href", "/signin");
  unmount();

  serve({ "GET /api/links/abc": link, "POST /api/links/abc": gone });
  open("/link/abc");
  await fill("林", "long enough one");
  expect(await screen.findByRole("heading", { name: "这个链接不能用了" })).toBeVisible();
});

test("a name that is taken keeps the form", async () => {
  serve({ "GET /api/links/abc": link, "POST /api/links/abc": problem(409, { code: "exists", reason: "name_taken", detail: "taken" }) });
  open("/link/abc");
  await fill("林", "long enough one");
  expect(await screen.findByRole("alert")).toHaveTextContent("这个名字已经有人用了");
  expect(screen.getByLabelText("名字")).toHaveValue("林");
});
