import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";

import type { Feedback } from "../../services/feedback";
import { materialOf } from "../../services/materials";
import { listed, material } from "../../test/factories/library";
import { AnalysisSections } from "./AnalysisSections";
import { FeedbackList } from "./FeedbackList";
import { Player } from "./Player";
import { webAddress } from "./words";

// The wire's optional fields are wider in a factory than in the schema.
const made = (more: object = {}) => materialOf(material(more));

test("every section of the analysis is there, and one that nobody could judge says so", () => {
  render(<AnalysisSections material={made()} />);
  expect(screen.getByText("5 个镜头")).toBeVisible();
  expect(screen.getByText("碎石扑面")).toBeVisible();
  expect(screen.getByText("得 4/5 分")).toBeVisible();
  expect(screen.getByText("高潜")).toBeVisible();
  expect(screen.getAllByText(/^这一项看不出来：local-ffmpeg/)).toHaveLength(2);
  expect(screen.getByText("2.5 秒")).toBeVisible();
  expect(screen.getByText("没有声音")).toBeVisible();
});

test("without a file there is no analysis, and the reason is given", () => {
  render(<AnalysisSections material={materialOf(listed() as Parameters<typeof materialOf>[0])} />);
  expect(screen.getByText("没有视频文件，拆解不了。")).toBeVisible();
});

test("feedback names its people, shows what came of it, and only one's own open words can be taken back", async () => {
  const one = (more: Partial<Feedback>): Feedback => ({ id: "F1", object: "M1", panel: 0, range: null, verdict: "like", words: "", by: "U1", name: "林", written: false, at: new Date(), state: "open", settledIn: 0, ...more });
  const onWithdraw = vi.fn();
  const mine = one({ words: "抓人" });
  render(
    <FeedbackList
      user="U1"
      busy={false}
      items={[mine, one({ id: "F2", by: "U2", name: "周", verdict: "dislike", written: true }), one({ id: "F3", state: "settled", settledIn: 6 }), one({ id: "F4", state: "withdrawn", words: "说错了" })]}
      onWithdraw={onWithdraw}
    />,
  );
  const rows = screen.getAllByRole("listitem");
  expect(rows).toHaveLength(3);
  expect(within(rows[1] ?? document.body).getByText("管家代记")).toBeVisible();
  expect(within(rows[2] ?? document.body).getByText("已写进 V6")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "撤回" })); // there is only one
  expect(onWithdraw).toHaveBeenCalledWith(mine);
});

test("the player steps from cut to cut and lists them in words", async () => {
  const m = made();
  render(<Player media={{ ...m.media, video: "/v" }} cuts={m.cuts} title="t" />);
  expect(screen.getByText("2 个切点：1.2 · 2.9 秒")).toBeVisible();
  const bar = screen.getByRole("slider", { name: "播放位置" });
  const positions: string[] = [];
  for (const name of ["下一个切点", "下一个切点", "下一个切点", "上一个切点", "上一个切点"]) {
    await userEvent.click(screen.getByRole("button", { name }));
    positions.push((bar as HTMLInputElement).value);
  }
  expect(positions).toEqual(["1.2", "2.9", "7.6", "2.9", "1.2"]);
  expect(bar).toHaveAttribute("aria-valuetext", "0:01，共 0:08");
});

test("only addresses of the web become links", () => {
  expect(webAddress("https://example.org/a")).toBe("https://example.org/a");
  expect(["javascript:alert(1)", "data:text/html,x", "", "no address"].map(webAddress)).toEqual([null, null, null, null]);
});
