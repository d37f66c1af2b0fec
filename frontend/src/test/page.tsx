import { createMemoryHistory } from "@tanstack/react-router";
import { render } from "@testing-library/react";
import { vi } from "vitest";

import { App, makeQueries } from "../App";
import { makeRouter } from "../router";

/** Opens the program at an address, with queries that do not wait before they give up. */
export function open(path: string) {
  const router = makeRouter(createMemoryHistory({ initialEntries: [path] }));
  const queries = makeQueries(router);
  queries.setDefaultOptions({ queries: { retry: false, refetchInterval: false } });
  return { router, ...render(<App router={router} queries={queries} />) };
}

/** What the page asks whether the screen is a phone's. */
export function onPhone(phone: boolean): void {
  vi.stubGlobal("matchMedia", (media: string) => ({ media, matches: phone && media.includes("max-width"), addEventListener: () => undefined, removeEventListener: () => undefined }));
}
