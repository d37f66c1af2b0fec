import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// What every page needs goes together: few requests, and it compresses better.
const everywhere =
  /\/node_modules\/(react|react-dom|scheduler|react-i18next|i18next|use-sync-external-store|tiny-[a-z]+|@tanstack\/(react-query|query-core|react-router|router-core|history|store|react-store))\//;
// The frame, the parts every page is made of, and the way to the server.
const frame =
  /\/src\/(components\/(ui|frame)|live|services)\/|\/src\/(theme|i18n|problem)\.ts|\/node_modules\/(@radix-ui\/(primitive|react-(dialog|dismissable-layer|focus-scope|focus-guards|portal|presence|primitive|slot|compose-refs|context|id|use-[a-z-]+))|aria-hidden|react-remove-scroll(-bar)?|react-style-singleton|use-callback-ref|use-sidecar|get-nonce|tslib)\//;
// Of these, what comes only when it is asked for.
const later = /\/(floating|Palette|usePaletteItems|commands|Help|Tabs)\.tsx?$/;

function chunkOf(id: string): string | undefined {
  const language = /\/src\/locales\/(zh-CN|en)\//.exec(id)?.[1];
  if (language !== undefined) return `locale-${language}`; // however many namespaces it has
  if (frame.test(id) && !later.test(id)) return "frame";
  if (everywhere.test(id) || id.includes("commonjsHelpers") || id.includes("vite/preload-helper")) return "vendor";
  return undefined;
}

export default defineConfig({
  plugins: [react(), tailwindcss()],
  build: {
    // dist keeps its .gitkeep, so that the Go package compiles in a fresh clone.
    emptyOutDir: false,
    target: "es2022",
    // Pages come with a policy that allows no inline code.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rollupOptions: {
      output: {
        manualChunks: chunkOf,
      },
    },
  },
  server: { proxy: { "/api": { target: "http://127.0.0.1:7317", ws: true } } },
  test: {
    environment: "jsdom",
    globals: true,
    setupFiles: "./src/test/setup.ts",
    restoreMocks: true,
    testTimeout: 20_000,
  },
});
