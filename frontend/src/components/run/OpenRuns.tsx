import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import type { Run } from "../../services/runs";
import { ProgressBar } from "./Meters";
import { StateIcon } from "./RunState";
import { useRunWords } from "./useRunWords";

/** The runs that are under way for a page, one line each, with how far they are. */
export function OpenRuns({ agent, runs }: { agent: string; runs: Run[] }) {
  const { t } = useTranslation("tasks");
  const words = useRunWords();
  if (runs.length === 0) return null;
  return (
    <ul className="grid gap-1 rounded-card border border-line bg-surface px-4 py-2 text-sm" aria-live="polite">
      {runs.map((run) => {
        const standing = words.standing(run);
        return (
          <li key={run.id} className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
            <StateIcon state={run.state} />
            <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2">
              <span className="font-medium">{t(`work.${run.work}`)}</span>
              <ProgressBar run={run} label={standing} />
              <span>{standing}</span>
              {run.what !== "" && <span className="text-muted [overflow-wrap:anywhere]">{run.what}</span>}
            </span>
            <Link to="/a/$agent/tasks" params={{ agent }} search={{ run: run.id }} className="text-muted underline underline-offset-3 hover:text-text pointer-coarse:py-2">
              {t("detail.see")}
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
