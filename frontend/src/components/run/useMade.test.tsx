import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";

import { hello, sync } from "../../test/factories/room";
import { agent, openRoom } from "../../test/room";
import { MadePill } from "./MadePill";
import { MadeContext, useFollowRuns, useMade } from "./useMade";

function Page({ shown }: { shown: string }) {
  const { made, forget } = useMade(shown);
  return <MadePill agent={agent} made={made} onForget={forget} />;
}

function Frame({ shown = "" }: { shown?: string }) {
  return (
    <MadeContext value={useFollowRuns(agent)}>
      <Page shown={shown} />
    </MadeContext>
  );
}

const ended = (seq: number, products: { type: string; id: string }[]) => ({ type: "run.progress" as const, seq, run: "R1", state: "done", products });

test("what a run made is told with the way to it, until somebody puts it away", async () => {
  const { world } = await openRoom(<Frame />, { hello: [hello(1), sync(1)] });
  act(() => { world.last.say(ended(2, [{ type: "material", id: "M1" }])); });
  expect(screen.queryByRole("status")).toBeNull();
  act(() => { world.last.say(ended(3, [{ type: "board", id: "B1" }])); });
  expect(await screen.findByText("新方案写好了")).toBeVisible();
  expect(screen.getByRole("link", { name: "打开" })).toHaveAttribute("href", `/a/${agent}/boards/B1`);
  act(() => { world.last.say(ended(4, [{ type: "film", id: "F1" }])); });
  expect(await screen.findByText("成片做好了")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "关闭" }));
  expect(screen.queryByText("成片做好了")).toBeNull();
});

test("what the page shows itself is not told", async () => {
  const { world } = await openRoom(<Frame shown="B1" />, { hello: [hello(1), sync(1)] });
  act(() => { world.last.say(ended(2, [{ type: "board", id: "B1" }])); });
  expect(screen.queryByText("新方案写好了")).toBeNull();
});
