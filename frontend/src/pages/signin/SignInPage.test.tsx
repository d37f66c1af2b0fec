import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";

import { session } from "../../test/factories/wire";
import { open } from "../../test/page";
import { empty, json, problem, serve } from "../../test/server";

const fill = async (name: string, password: string) => {
  const user = userEvent.setup();
  await user.type(await screen.findByLabelText("名字"), name);
  await user.type(screen.getByLabelText("密码"), password);
  await user.keyboard("{Enter}");
};

test("signs in with the keyboard alone and opens the agents", async () => {
  const asked = serve({ "POST /api/session": empty(), "GET /api/session": json(session()) });
  const { router } = open("/signin");
  await fill("林", "correct horse");
  await waitFor(() => { expect(router.state.location.pathname).toBe("/"); });
  expect(await asked[0]?.json()).toEqual({ name: "林", password: "correct horse" });
});

test("a wrong password is said in the person's language, and what was typed stays", async () => {
  serve({ "POST /api/session": problem(401, { code: "unauthorized", reason: "bad_credentials", detail: "the name or the password is wrong" }) });
  open("/signin");
  await fill("林", "wrong password");
  expect(await screen.findByRole("alert")).toHaveTextContent("名字或密码不对。");
  expect(screen.getByLabelText("名字")).toHaveValue("林");
});

test("too many tries say when to come back", async () => {
  serve({ "POST /api/session": problem(429, { code: "too_many", reason: "too_many_sign_ins", detail: "wait" }, { "Retry-After": "42" }) });
  open("/signin");
  await fill("林", "wrong password");
  expect(await screen.findByRole("alert")).toHaveTextContent("42 秒");
});

test("empty fields are named, the first one takes the focus, and nothing is sent", async () => {
  const asked = serve({});
  open("/signin");
  await userEvent.click(await screen.findByRole("button", { name: "登录" }));
  expect(screen.getByLabelText("名字")).toHaveFocus();
  expect(screen.getByLabelText("名字")).toHaveAccessibleDescription("请填写名字");
  expect(screen.getByLabelText("密码")).toBeInvalid();
  expect(asked).toHaveLength(0);
});

test("the language changes at once and is remembered", async () => {
  serve({});
  open("/signin");
  await userEvent.selectOptions(await screen.findByLabelText("语言"), "en");
  expect(await screen.findByRole("heading", { name: "Sign in" })).toBeVisible();
  expect(document.documentElement.lang).toBe("en");
  expect(localStorage.getItem("sozai.language")).toBe("en");
});

test("an unknown address says so and leads back", async () => {
  serve({});
  open("/nowhere");
  expect(await screen.findByRole("heading", { name: "没有这个页面" })).toBeVisible();
  expect(screen.getByRole("link", { name: "回到 Agent 列表" })).toHaveAttribute("href", "/");
});
