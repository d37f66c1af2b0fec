import { useTranslation } from "react-i18next";

import type { Progress, Run } from "../../services/runs";

const sources = ["fast", "competitor", "hot"] as const;
const reasons = ["finished", "rounds", "tokens", "cost", "time", "stuck", "model", "source", "input", "worker_lost", "cancelled", "people_came", "internal"] as const;
const nexts = ["rounds", "tokens", "cost", "time", "stuck", "model", "source", "input", "worker_lost", "people_came", "internal"] as const;
const units = { materials: "found", pages: "pages", panels: "panels", frames: "frames", objects: "objects", videos: "objects", steps: "steps" } as const;

/** What is said of a run, in the reader's language. */
export function useRunWords() {
  const { t } = useTranslation("tasks");
  const source = (word: string) => {
    const known = sources.find((s) => s === word);
    return known ? t(`source.${known}`) : word;
  };
  const progress = (p: Progress): string => {
    const unit = p.unit in units ? units[p.unit as keyof typeof units] : "other";
    const done = p.target > 0 ? t(`progress.${unit}_of`, { done: p.done, target: p.target }) : t(`progress.${unit}`, { done: p.done });
    if (p.page === 0) return done;
    return `${done} · ${p.pages > 0 ? t("progress.page_of", { page: p.page, pages: p.pages }) : t("progress.page", { page: p.page })}`;
  };
  const reason = (word: string) => {
    const known = reasons.find((r) => r === word);
    return known ? t(`reason.${known}`) : word;
  };
  return {
    source,
    reason,
    /** What to do about an end that was not wanted; "" if there is nothing to do. */
    next(word: string): string {
      const known = nexts.find((n) => n === word);
      return known ? t(`next.${known}`) : "";
    },
    name: (run: Run) => [t(`work.${run.work}`), run.what || source(run.source) || t(`trigger.${run.trigger}`)].join(" · "),
    who: (run: Run) => run.person || (run.personId !== "" ? t("who.person") : run.trigger === "order" ? t("who.butler") : t("who.program")),
    /** Where the run is, or what came of it. */
    standing(run: Run): string {
      const n = run.products.length;
      switch (run.state) {
        case "requested":
          return t("progress.queued");
        case "running":
          return run.progress ? progress(run.progress) : t("progress.begun");
        case "stopping":
          return [t("progress.stopping"), ...(run.progress ? [progress(run.progress)] : [])].join(" · ");
        case "worker_lost":
          return t("progress.lost", { n: run.attempt });
        case "done":
          return [n > 0 ? t("progress.made", { n }) : t("progress.nothing"), ...(run.reason === "finished" ? [] : [reason(run.reason)])].join(" · ");
        case "failed":
        case "cancelled":
          return [reason(run.reason), n > 0 ? t("progress.kept", { n }) : t("progress.kept_none")].join(" · ");
      }
    },
  };
}
