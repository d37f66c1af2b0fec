import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { CiteLink } from "../card/CiteLink";
import { Version } from "../ui/Badge";
import { useFormat } from "../ui/useFormat";
import type { Attempt, Run, RunDetail } from "../../services/runs";
import { Cost, ProgressBar, Tokens } from "./Meters";
import { useRunWords } from "./useRunWords";

const link = "text-muted underline underline-offset-3 hover:text-text";

/** What was asked, by whom, with what, and when. */
export function RunFacts({ agent, run }: { agent: string; run: Run }) {
  const { t } = useTranslation("tasks");
  const format = useFormat();
  const words = useRunWords();
  const time = (at: Date) => <time dateTime={at.toISOString()}>{format.dateTime(at)}</time>;
  const cites = run.cites.filter((cite) => cite.id !== "" && cite.id !== run.board);
  const earlier = run.retryOf || run.continues;
  const facts: [string, ReactNode][] = [
    [t("detail.what"), run.what],
    [t("detail.why"), run.why],
    [t("detail.who"), words.who(run)],
    [t("detail.trigger"), t(`trigger.${run.trigger}`)],
    [t("detail.source"), words.source(run.source)],
    [t("detail.target"), run.target > 0 ? t("detail.target_n", { n: run.target }) : ""],
    [t(run.work === "film" ? "detail.board" : "detail.base"), run.board === "" ? "" : <CiteLink key="board" agent={agent} cite={{ type: "board", id: run.board, panel: 0, from: 0, to: 0 }} />],
    [
      t("detail.cites"),
      cites.length === 0 ? "" : (
        <ul key="cites" className="grid gap-1">
          {cites.map((cite) => <li key={`${cite.type} ${cite.id} ${cite.panel}`}><CiteLink agent={agent} cite={cite} /></li>)}
        </ul>
      ),
    ],
    [t("detail.gene"), run.version > 0 ? <Version n={run.version} /> : t("detail.gene_none")],
    [
      t(run.retryOf === "" ? "detail.continues" : "detail.retry_of"),
      earlier === "" ? "" : <Link to="/a/$agent/tasks" params={{ agent }} search={(old) => ({ ...old, run: earlier })} className={link}>{t("detail.earlier")}</Link>,
    ],
    [t("detail.requested"), time(run.requestedAt)],
    [t("detail.started"), run.startedAt ? time(run.startedAt) : ""],
    [t("detail.finished"), run.finishedAt ? time(run.finishedAt) : ""],
    [t("detail.lasted"), run.startedAt && run.finishedAt ? format.duration((run.finishedAt.getTime() - run.startedAt.getTime()) / 1000) : ""],
    [t("column.cost"), <Cost key="cost" cost={run.cost} />],
    [t("detail.number"), <code key="id" className="font-mono text-xs [overflow-wrap:anywhere]">{run.id}</code>],
  ];
  return (
    <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1">
      {facts
        .filter(([, value]) => value !== "")
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 [overflow-wrap:anywhere]">{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Where it stands, or how it ended and what to do about it. */
export function Standing({ run }: { run: Run }) {
  const words = useRunWords();
  const bad = run.state === "failed";
  const next = bad || run.capped || run.reason === "people_came" ? words.next(run.reason) : "";
  const standing = words.standing(run);
  const ground = bad ? "bg-bad-ground" : run.state === "worker_lost" || run.state === "stopping" ? "bg-warn-ground" : "bg-sunken";
  return (
    <div className={`grid gap-1 rounded-control px-3 py-2 ${ground}`}>
      <p className="flex flex-wrap items-center gap-x-2 font-medium">
        <ProgressBar run={run} label={standing} />
        {standing}
      </p>
      {run.summary !== "" && <p lang="" className="text-muted [overflow-wrap:anywhere]">{run.summary}</p>}
      {next !== "" && <p>{next}</p>}
    </div>
  );
}

/** What it made, with the way to it. */
export function Products({ agent, run }: { agent: string; run: Run }) {
  const { t } = useTranslation("tasks");
  if (run.products.length === 0) return <p className="text-muted">{t("detail.no_products")}</p>;
  const kinds = { material: "materials", board: "boards", film: "films", card: "cards", order: "orders" } as const;
  const counts = new Map<string, number>();
  for (const { type } of run.products) counts.set(type, (counts.get(type) ?? 0) + 1);
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1">
      {[...counts].map(([type, n]) => {
        const [only] = run.products.filter((p) => p.type === type);
        const label = t(`detail.${type in kinds ? kinds[type as keyof typeof kinds] : "others"}`, { n });
        return (
          <li key={type}>
            {type === "material" ? <Link to="/a/$agent/materials" params={{ agent }} search={{ run: run.id }} className={link}>{label}</Link>
            : type === "board" && only ? <Link to="/a/$agent/boards/$board" params={{ agent, board: only.id }} className={link}>{label}</Link>
            : type === "film" && only ? <Link to="/a/$agent/films/$film" params={{ agent, film: only.id }} className={link}>{label}</Link>
            : label}
          </li>
        );
      })}
    </ul>
  );
}

const ends = ["finished", "worker_lost", "handed_over"] as const;

export function Attempts({ run }: { run: RunDetail }) {
  const { t } = useTranslation("tasks");
  if (run.attempts.length === 0) return <p className="text-muted">{t("detail.no_attempts")}</p>;
  return (
    <ol className="grid gap-2">
      {run.attempts.map((attempt) => <Try key={attempt.attempt} attempt={attempt} />)}
      {run.attempts.length > 1 && (
        <li className="flex flex-wrap items-center gap-x-3 border-t border-line pt-2">
          <span className="font-medium">{t("detail.total")}</span>
          <Tokens usage={run.usage} />
        </li>
      )}
    </ol>
  );
}

function Try({ attempt: a }: { attempt: Attempt }) {
  const { t } = useTranslation("tasks");
  const format = useFormat();
  const end = a.end === "" ? "live" : ends.find((e) => e === a.end);
  return (
    <li>
      <p className="flex flex-wrap items-center gap-x-2">
        <span className="font-medium">{t("detail.attempt", { n: a.attempt })}</span>
        <span className={a.end === "worker_lost" ? "text-warn" : "text-muted"}>{end ? t(`detail.end.${end}`) : a.end}</span>
        <span className="text-sm text-muted">{t("detail.rounds_n", { n: a.rounds })}</span>
        <span className="text-sm text-muted tabular-nums">{format.money(a.cost)}</span>
      </p>
      <p className="text-xs text-muted">
        {t("detail.worker")} <code className="font-mono">{a.worker}</code>
        {" · "}
        <time dateTime={a.startedAt.toISOString()} title={format.dateTime(a.startedAt)}>{format.clock(a.startedAt)}</time>
        {a.endedAt && <>{"–"}<time dateTime={a.endedAt.toISOString()} title={format.dateTime(a.endedAt)}>{format.clock(a.endedAt)}</time></>}
      </p>
      <Tokens usage={a.usage} />
    </li>
  );
}
