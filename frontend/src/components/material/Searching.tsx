import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { StateIcon } from "../run/RunState";
import type { Run } from "../../services/runs";

/** The searches that run at the moment, one line each, with what they have found so far. */
export function Searching({ agent, runs }: { agent: string; runs: Run[] }) {
  const { t } = useTranslation("materials");
  if (runs.length === 0) return null;
  return (
    <ul className="grid gap-1 rounded-card border border-line bg-surface px-4 py-2 text-sm" aria-live="polite">
      {runs.map((run) => (
        <li key={run.id} className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
          <StateIcon state={run.state} />
          <span className="min-w-0 flex-1">
            <Words run={run} />
            {run.what !== "" && <span className="ml-2 text-muted [overflow-wrap:anywhere]">{run.what}</span>}
          </span>
          <Link to="/a/$agent/tasks" params={{ agent }} search={{ run: run.id }} className="text-muted underline underline-offset-3 hover:text-text">
            {t("searching.task")}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Words({ run }: { run: Run }) {
  const { t } = useTranslation("materials");
  const { progress: p } = run;
  if (run.state === "requested") return t("searching.queued");
  if (run.state === "worker_lost") return t("searching.lost");
  if (run.state === "stopping") return t("searching.stopping");
  if (p === null) return t("searching.started");
  if (p.unit === "steps") return p.target > 0 ? t("searching.steps_of", { done: p.done, target: p.target }) : t("searching.steps", { done: p.done });
  const found = p.target > 0 ? t("searching.found_of", { done: p.done, target: p.target }) : t("searching.found", { done: p.done });
  if (p.page === 0) return found;
  return `${found} · ${p.pages > 0 ? t("searching.page_of", { page: p.page, pages: p.pages }) : t("searching.page", { page: p.page })}`;
}
