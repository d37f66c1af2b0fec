import "@testing-library/jest-dom/vitest";

import { cleanup, configure } from "@testing-library/react";
import { afterEach, beforeEach, vi } from "vitest";

import { startI18n } from "../i18n";

// A slow machine loads lazy code slowly; no test waits longer than it must.
configure({ asyncUtilTimeout: 5000 });

// jsdom draws nothing, so it has no media queries.
vi.stubGlobal("matchMedia", (media: string) => ({ media, matches: false, addEventListener: () => undefined, removeEventListener: () => undefined }));

vi.stubGlobal("ResizeObserver", class { observe() {} unobserve() {} disconnect() {} });
Object.assign(HTMLElement.prototype, { hasPointerCapture: () => false, setPointerCapture: () => undefined, releasePointerCapture: () => undefined, scrollIntoView: () => undefined });

// No test has a room's server; one that talks to it brings its own socket.
vi.stubGlobal("WebSocket", class { send() {} close() {} });

beforeEach(async () => {
  localStorage.clear();
  await startI18n("zh-CN");
});

afterEach(() => {
  cleanup();
});
