import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { Version } from "../ui/Badge";
import { Time } from "../ui/Time";
import { useFormat } from "../ui/useFormat";
import type { Run } from "../../services/runs";
import { Cost, ProgressBar } from "./Meters";
import { RunState } from "./RunState";
import { useNow } from "./useNow";
import { useRunWords } from "./useRunWords";

type Props = { agent: string; runs: Run[]; /** One column, for a phone. */ narrow: boolean };

/** The runs, newest first. A whole row opens its run. */
export function RunTable({ agent, runs, narrow }: Props) {
  const { t } = useTranslation("tasks");
  const now = useNow(runs.some((run) => run.open));
  if (narrow) {
    return (
      <ul className="grid gap-2">
        {runs.map((run) => <RunCard key={run.id} agent={agent} run={run} now={now} />)}
      </ul>
    );
  }
  const head = "px-3 py-2 text-left text-sm font-medium whitespace-nowrap";
  return (
    <div className="overflow-x-auto rounded-card border border-line bg-surface">
      <table className="w-full border-collapse">
        <thead className="bg-sunken text-muted">
          <tr>
            <th scope="col" className={head}>{t("column.state")}</th>
            <th scope="col" className={head}>{t("column.what")}</th>
            <th scope="col" className={head}>{t("column.who")}</th>
            <th scope="col" className={head}>{t("column.gene")}</th>
            <th scope="col" className={head}>{t("column.progress")}</th>
            <th scope="col" className={`${head} text-right`}>{t("column.cost")}</th>
            <th scope="col" className={`${head} text-right`}>{t("column.requested")}</th>
            <th scope="col" className={`${head} text-right`}>{t("column.sign")}</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => <Row key={run.id} agent={agent} run={run} now={now} />)}
        </tbody>
      </table>
    </div>
  );
}

type RowProps = { agent: string; run: Run; now: number };

// The link's ground covers the row, so that the whole of it can be pressed.
function Open({ agent, run }: { agent: string; run: Run }) {
  const { t } = useTranslation("tasks");
  const words = useRunWords();
  return (
    <Link
      to="/a/$agent/tasks"
      params={{ agent }}
      search={(old) => ({ ...old, run: run.id })}
      aria-label={t("list.open", { name: words.name(run) })}
      className="line-clamp-2 font-medium [overflow-wrap:anywhere] after:absolute after:inset-0"
    >
      {words.name(run)}
    </Link>
  );
}

function Row({ agent, run, now }: RowProps) {
  const { t } = useTranslation("tasks");
  const words = useRunWords();
  const cell = "px-3 py-2.5 align-top";
  const standing = words.standing(run);
  return (
    <tr className="relative border-t border-line hover:bg-sunken/60">
      <td className={cell}><RunState state={run.state} /></td>
      <td className={`${cell} min-w-40`}>
        <Open agent={agent} run={run} />
      </td>
      <td className={cell}>
        <span className="block max-w-40 truncate">{words.who(run)}</span>
        <span className="block text-xs text-muted">{t(`trigger.${run.trigger}`)}</span>
      </td>
      <td className={cell}>{run.version > 0 ? <Version n={run.version} /> : <span className="text-muted">–</span>}</td>
      <td className={`${cell} min-w-44`}>
        <span className="flex flex-wrap items-center gap-x-2">
          <ProgressBar run={run} label={standing} />
          <span className={run.open ? "" : "text-muted"}>{standing}</span>
        </span>
      </td>
      <td className={`${cell} text-right`}><Cost cost={run.cost} /></td>
      <td className={`${cell} text-right text-muted`}><Time at={run.requestedAt} /></td>
      <td className={`${cell} text-right text-muted`}><Sign run={run} now={now} /></td>
    </tr>
  );
}

function RunCard({ agent, run, now }: RowProps) {
  const { t } = useTranslation("tasks");
  const words = useRunWords();
  const standing = words.standing(run);
  return (
    <li className="relative grid gap-1 rounded-card border border-line bg-surface px-4 py-3">
      <div className="flex items-center justify-between gap-2 text-sm">
        <RunState state={run.state} />
        <span className="text-muted"><Sign run={run} now={now} /></span>
      </div>
      <Open agent={agent} run={run} />
      <p className="flex flex-wrap items-center gap-x-2 text-sm">
        <ProgressBar run={run} label={standing} />
        <span className={run.open ? "" : "text-muted"}>{standing}</span>
      </p>
      <p className="flex flex-wrap items-center gap-x-2 text-sm text-muted">
        <span>{words.who(run)}</span>
        <span>{t(`trigger.${run.trigger}`)}</span>
        {run.version > 0 && <Version n={run.version} />}
        <span className="ml-auto"><Cost cost={run.cost} /></span>
      </p>
    </li>
  );
}

/** When something was last heard of it. */
function Sign({ run, now }: { run: Run; now: number }) {
  const format = useFormat();
  return (
    <time dateTime={run.lastSign.toISOString()} title={format.dateTime(run.lastSign)} className="whitespace-nowrap tabular-nums">
      {run.open ? format.ago(run.lastSign, now) : format.ago(run.lastSign)}
    </time>
  );
}
