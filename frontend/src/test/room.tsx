import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { render } from "@testing-library/react";
import { type ReactNode, useEffect } from "react";
import { vi } from "vitest";

import { type RoomCalls, RoomStore } from "../live/store";
import { RoomContext } from "../live/useRoom";
import type { Frame, Page } from "../live/wire";
import { page } from "./factories/room";
import { FakeWorld } from "./socket";

export const agent = "01JDZ0000000000000000000B1";

/** Requests of a room that a test answers. */
export function fakeCalls(newest: Page = page([]), more: Partial<RoomCalls> = {}) {
  let said = 0;
  return {
    timeline: vi.fn<RoomCalls["timeline"]>(more.timeline ?? (() => Promise.resolve(newest))),
    say: vi.fn<RoomCalls["say"]>(more.say ?? ((key) => Promise.resolve({ message: `${key.slice(0, 10)}${"S".repeat(15)}${said++}`, seq: 1 }))),
    stop: vi.fn<RoomCalls["stop"]>(() => Promise.resolve({})),
    takeBack: vi.fn<RoomCalls["takeBack"]>(() => Promise.resolve({})),
  };
}

function Started({ store, children }: { store: RoomStore; children: ReactNode }) {
  useEffect(() => store.start(), [store]);
  return <RoomContext value={store}>{children}</RoomContext>;
}

/** Draws a part of the room on a fake socket that has said hello. */
export async function openRoom(ui: ReactNode, { newest = page([]), calls = fakeCalls(newest), hello = [] }: { newest?: Page; calls?: ReturnType<typeof fakeCalls>; hello?: Frame[] } = {}) {
  const world = new FakeWorld();
  const store = new RoomStore(agent, calls, world);
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const root = createRootRoute();
  const home = createRoute({ getParentRoute: () => root, path: "/", component: () => <Started store={store}>{ui}</Started> });
  const router = createRouter({ routeTree: root.addChildren([home]), history: createMemoryHistory({ initialEntries: ["/"] }) });
  await router.load();
  const view = render(
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  await vi.waitFor(() => {
    if (world.sockets.length === 0) throw new Error("not connected yet");
  });
  world.last.accept();
  if (hello.length > 0) world.last.say(...hello);
  return { world, store, calls, queries, ...view };
}

/** Gives jsdom, which lays nothing out, a log of 600 px whose lines have 40 each. */
export function layOut(): void {
  const isLog = (e: Element) => e.getAttribute("role") === "log";
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockImplementation(function (this: HTMLElement) {
    return isLog(this) ? 600 : 40;
  });
  vi.spyOn(HTMLElement.prototype, "offsetWidth", "get").mockReturnValue(400);
  vi.spyOn(Element.prototype, "clientHeight", "get").mockImplementation(function (this: Element) {
    return isLog(this) ? 600 : 40;
  });
  vi.spyOn(Element.prototype, "scrollHeight", "get").mockImplementation(function (this: Element) {
    return this.firstElementChild instanceof HTMLElement ? parseFloat(this.firstElementChild.style.height) || 0 : 0;
  });
  const scrollTo = function (this: Element, to?: ScrollToOptions | number) {
    this.scrollTop = typeof to === "object" ? (to.top ?? 0) : 0;
    this.dispatchEvent(new Event("scroll"));
  };
  Element.prototype.scrollTo = scrollTo;
}
