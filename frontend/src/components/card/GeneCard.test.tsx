import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";

import { card, cardState, gene } from "../../test/factories/gene";
import { onPhone } from "../../test/page";
import { piece } from "../../test/piece";
import { json, problem, serve } from "../../test/server";
import { GeneCard } from "./GeneCard";

const at = "/api/agents/A";
const id = cardState().card;
const one = `GET ${at}/cards/${id}`;

/** The server of a card that waits; later answers of the same address come in turn. */
function server(more: Record<string, Response | (() => Response)> = {}) {
  return serve({ [one]: json(card()), [`GET ${at}/gene?version=5`]: json(gene()), ...more });
}

const shown = (more: object = {}, props: object = {}) => piece(<GeneCard agent="A" card={cardState(more)} {...props} />);
const button = (name: string | RegExp) => screen.findByRole("button", { name });
const commands = (asked: Request[]) => asked.filter((r) => r.method === "POST");

afterEach(() => { onPhone(false); });

test("a waiting card shows what changes, word by word, and whose lines stay", async () => {
  server();
  await shown();
  const part = await screen.findByRole("group", { name: "检索需求" });
  expect(within(part).getByText("前三秒至少两刀的", { selector: "ins" })).toBeVisible();
  expect(within(part).getByText("周写的")).toBeVisible();
  expect(within(screen.getByRole("group", { name: "硬性约束" })).getByText("30 秒", { selector: "del" })).toBeVisible();
  expect(screen.getByText("V5 → V6")).toBeVisible();
  expect(screen.getByText(/管家提议/)).toBeVisible();
});

test("the full text has everything, also what stays; the evidence has reason and objects", async () => {
  server({
    [`GET ${at}/feedback?limit=500`]: json({
      items: [{ feedback: "01JDZ0000000000000000000F1", state: "open", object: { type: "material", id: "M" }, verdict: "dislike", words: "太慢", strong: true, by: "01JDZ0000000000000000000A2", written_by: "user:x", at: "2026-11-30T10:00:00Z", seq: 3 }],
      people: { "01JDZ0000000000000000000A2": "周" },
    }),
    [`GET ${at}/materials/01JDZ0000000000000000000M1`]: json({ title: "石桥逐拱炸开", media: { hash: "abc", poster: true } }),
  });
  await shown();
  await userEvent.click(await screen.findByRole("tab", { name: "全文" }));
  expect(within(screen.getByRole("group", { name: "创意规则" })).getByText("一个镜头不超过两秒")).toBeVisible();
  await userEvent.click(screen.getByRole("tab", { name: "依据 2" }));
  expect(screen.getByText("周说节奏太慢，镜头太远")).toBeVisible();
  expect(await screen.findByText("太慢")).toBeVisible();
  expect(await screen.findByRole("link", { name: /石桥逐拱炸开/ })).toHaveAttribute("href", "/a/A/materials?m=01JDZ0000000000000000000M1");
});

test("applying disables the card and is done only when the log says so", async () => {
  let read = 0;
  const applied = { state: "applied", version: 6, applied: ["search", "constraints"], closed_by: "user:01JDZ0000000000000000000A1", closed_at: "2026-11-30T10:50:00Z" };
  const asked = server({
    [one]: () => json(card()),
    [`${one}?min_seq=1010`]: () => json(card(read++ === 0 ? {} : applied)),
    [`POST ${at}/cards/${id}/apply`]: json({ version: 6, documents: ["search"], run: "R", seq: 1010 }),
  });
  const { change } = await shown();
  await userEvent.click(await button("应用"));
  expect(await button("正在应用…")).toBeDisabled();
  expect(screen.getByRole("button", { name: "驳回" })).toBeDisabled();
  expect(screen.queryByText("已应用")).toBeNull();
  change(<GeneCard agent="A" card={cardState(applied)} />);
  expect(await screen.findByText("已应用")).toBeVisible();
  expect(screen.getByText(/林应用了它，成为 V6。/)).toBeVisible();
  expect(screen.queryByRole("button", { name: /应用/ })).toBeNull();
  expect(await commands(asked)[0]?.json()).toEqual({});
});

test("only one document can be applied", async () => {
  const asked = server({ [`POST ${at}/cards/${id}/apply`]: json({ version: 6, documents: ["search"], run: "R", seq: 1010 }) });
  await shown();
  await userEvent.click(await button("检索需求"));
  await waitFor(() => { expect(commands(asked)).toHaveLength(1); });
  expect(await commands(asked)[0]?.json()).toEqual({ documents: ["search"] });
});

test("an edit sends only the text that was edited, and keeps it when it fails", async () => {
  const asked = server({ [`POST ${at}/cards/${id}/apply`]: problem(503, { code: "unavailable", detail: "later" }) });
  await shown();
  await userEvent.click(await button("改后应用"));
  const text = screen.getByLabelText("检索需求", { selector: "textarea" });
  await userEvent.type(text, "{Enter}雨夜");
  await userEvent.click(await button("应用改过的"));
  expect(await screen.findByText("你改的文字还在，可以再试。")).toBeVisible();
  expect(text).toHaveValue(`${card().search}\n雨夜`);
  await userEvent.click(screen.getByRole("button", { name: "再试一次" }));
  await waitFor(() => { expect(commands(asked)).toHaveLength(2); });
  const [first, second] = commands(asked);
  expect(await first?.json()).toEqual({ search: `${card().search}\n雨夜` });
  expect(second?.headers.get("Idempotency-Key")).toBe(first?.headers.get("Idempotency-Key"));
});

test("a rejection wants a reason: chips and words are both sent", async () => {
  const asked = server({ [`POST ${at}/cards/${id}/reject`]: json({ seq: 1010 }) });
  await shown();
  await userEvent.click(await button("驳回"));
  await userEvent.click(await button("驳回"));
  expect(screen.getByRole("alert")).toHaveTextContent("选一个原因，或写一句。");
  expect(commands(asked)).toHaveLength(0);
  await userEvent.click(screen.getByRole("button", { name: "收得太窄" }));
  await userEvent.type(screen.getByRole("textbox"), "只剩爆炸了");
  await userEvent.click(await button("驳回"));
  await waitFor(() => { expect(commands(asked)).toHaveLength(1); });
  expect(await commands(asked)[0]?.json()).toEqual({ reason: "只剩爆炸了", chips: ["收得太窄"] });
});

test("whoever comes second reads who was first, and that nothing was changed", async () => {
  const details = { state: "applied", by: "user:01JDZ0000000000000000000A2", by_name: "周", at: "2026-11-30T10:49:00Z", version: 6 };
  let read = 0;
  server({
    [one]: () => json(card(read++ === 0 ? {} : { state: "applied", version: 6, closed_by: details.by, closed_at: details.at })),
    [`POST ${at}/cards/${id}/apply`]: problem(409, { code: "conflict", reason: "card_closed", detail: "closed", details }),
  });
  await shown();
  await userEvent.click(await button("应用"));
  expect(await screen.findByRole("alert")).toHaveTextContent(/慢了一步：周先应用了它，成为 V6。.*你刚才的操作没有改动任何东西。/);
  expect(await screen.findByText("已应用")).toBeVisible();
  expect(screen.queryByRole("button", { name: "驳回" })).toBeNull();
});

test("after applying: the way to the version, the way back, and how far the first results are", async () => {
  server({
    [one]: json(card({ state: "applied", version: 6, closed_by: "user:01JDZ0000000000000000000A1", closed_at: "2026-11-30T10:50:00Z", edited: true })),
    [`GET ${at}/gene`]: json(gene({ version: 6 })),
    [`GET ${at}/performance`]: json({ versions: [{ version: 6, rates: [{ name: "adopted_of_shown", value: 0, low: 0, high: 0, n: 0, of: 18 }] }], baseline: 5, min_sample: 30, as_of: 1 }),
  });
  await shown({ state: "applied", version: 6 });
  expect(await screen.findByRole("link", { name: "看 V6 改了什么" })).toHaveAttribute("href", "/a/A/gene?from=5&to=6");
  expect(await screen.findByRole("link", { name: "撤销" })).toHaveAttribute("href", "/a/A/gene?rollback=5");
  expect(await screen.findByText("再有 12 次观看就有第一批结果")).toBeVisible();
  expect(screen.getByText(/林改过之后应用/)).toBeVisible();
});

test("an expired card whose base moved says what moved and keeps three buttons only", async () => {
  const moved = { state: "expired", cause: "base_moved", moved_to: 6 };
  const asked = server({
    [one]: json(card(moved)),
    [`GET ${at}/gene?version=6`]: json(gene({ version: 6, steer: { text: "开头三秒就是危机\n一个镜头不超过一秒", lines: [] } })),
    [`GET ${at}/gene/versions`]: json({ versions: [{ ...card().base, version: 6, by: "user:01JDZ0000000000000000000A2" }], people: gene().people }),
    [`POST ${at}/messages`]: json({ message: "M", seq: 1020 }),
  });
  await shown(moved);
  const panel = await screen.findByRole("group", { name: "基因已经往前走了" });
  expect(await within(panel).findByText("周在 V6 改了下面这些，卡片还是照 V5 写的")).toBeVisible();
  expect(await within(panel).findByText("一", { selector: "ins" })).toBeVisible();
  expect(within(panel).getByRole("link", { name: "接到 V6 上" })).toHaveAttribute("href", `/a/A/gene?edit=true&card=${id}`);
  expect(screen.queryByRole("button", { name: "应用" })).toBeNull();
  await userEvent.click(within(panel).getByRole("button", { name: "请管家重新提" }));
  expect(await within(panel).findByRole("button", { name: "已经请管家重新提" })).toBeDisabled();
  expect(await commands(asked)[0]?.json()).toMatchObject({ refs: [{ type: "card", id }] });
  await userEvent.click(within(panel).getByRole("button", { name: "放弃" }));
  expect(screen.queryByRole("group", { name: "基因已经往前走了" })).toBeNull();
});

test("keys act on the focused card; off screen the first press only scrolls to it", async () => {
  const asked = server({ [`POST ${at}/cards/${id}/apply`]: json({ version: 6, documents: ["search"], run: "R", seq: 1010 }) });
  await shown({}, { focused: true });
  const article = await screen.findByRole("article");
  await screen.findByRole("tab", { name: "改动" });
  const scroll = vi.spyOn(article, "scrollIntoView");
  const box = (top: number) => vi.spyOn(article, "getBoundingClientRect").mockReturnValue({ top, bottom: top + 300, height: 300 } as DOMRect);
  box(2000);
  await userEvent.keyboard("a");
  expect(scroll).toHaveBeenCalledOnce();
  expect(commands(asked)).toHaveLength(0);
  box(100);
  await userEvent.keyboard("d");
  await userEvent.keyboard("aed{Escape}");
  expect(commands(asked)).toHaveLength(0); // they were written
  await userEvent.keyboard("{Control>}a{/Control}");
  expect(commands(asked)).toHaveLength(0);
  await userEvent.keyboard("a");
  await waitFor(() => { expect(commands(asked)).toHaveLength(1); });
});

test("a card without the focus leaves the keys alone", async () => {
  const asked = server();
  await shown();
  await screen.findByRole("tab", { name: "改动" });
  await userEvent.keyboard("a");
  expect(commands(asked)).toHaveLength(0);
});

test("on a phone it opens from below", async () => {
  onPhone(true);
  server();
  await shown();
  expect(screen.queryByRole("button", { name: "驳回" })).toBeNull();
  await userEvent.click(await button("看改动，做决定"));
  expect(await within(await screen.findByRole("dialog")).findByRole("button", { name: "驳回" })).toBeVisible();
});
