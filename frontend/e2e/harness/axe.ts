// axe on a screen: what somebody who uses a screen reader, a keyboard or poor eyes
// would trip over.
import axe from "axe-core";
import type { Page } from "playwright-core";

declare global {
  interface Window {
    axe: typeof axe;
  }
}

type Finding = { id: string; impact: string | null; nodes: { target: string; html: string; summary: string }[] };

/** One line a finding, by all rules that axe calls settled; nothing is forgiven. */
export async function audit(page: Page): Promise<string[]> {
  // Motion is short but not nothing; contrast is measured at rest.
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map((a) => a.finished)));
  await page.evaluate(axe.source);
  const findings: Finding[] = await page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
    return violations.map((v) => ({
      id: v.id,
      impact: v.impact ?? null,
      nodes: v.nodes.map((n) => ({ target: String(n.target), html: n.html.slice(0, 160), summary: (n.failureSummary ?? "").replace(/\s+/g, " ").slice(0, 260) })),
    }));
  });
  return findings.flatMap((f) => f.nodes.slice(0, 3).map((n) => `${f.id} (${f.impact ?? "?"}): ${n.html}\n  ${n.summary}`));
}
