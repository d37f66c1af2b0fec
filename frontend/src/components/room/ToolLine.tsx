import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";

import { useRoomStore } from "../../live/useRoom";
import type { Block } from "../../live/wire";
import { turnQuery } from "../../services/room";
import { Icon } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { half } from "./speech";

const tools = [
  "read_gene",
  "view_object",
  "analyze_video",
  "read_performance",
  "read_behavior",
  "read_feedback",
  "record_feedback",
  "propose_gene_card",
  "order_search",
  "propose_order",
] as const;
const outcomes = ["running", "ok", "error", "interrupted"] as const;

/** One line of what the butler looked up: calls of one tool that went well in a row. */
export function ToolLine({ calls, turn, finished }: { calls: Block[]; turn: string; finished: boolean }) {
  const { t, i18n } = useTranslation("room");
  const id = useId();
  const [open, setOpen] = useState(false);
  const first = calls[0];
  const tool = tools.find((name) => name === first?.tool) ?? "other";
  const outcome = outcomes.find((o) => o === first?.outcome) ?? "error";
  const seconds = calls.reduce((sum, c) => sum + (c.seconds ?? 0), 0);
  const objects = calls.map((c) => half(c.object ?? "", i18n.language)).filter((o) => o !== "");
  return (
    <div className="text-sm text-muted" data-tool={first?.tool} data-outcome={outcome}>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => { setOpen(!open); }}
        className="flex w-full min-w-0 items-center gap-2 rounded py-px text-left hover:text-text pointer-coarse:min-h-10"
      >
        <Icon name={open ? "chevronDown" : "chevronRight"} className="size-3.5" />
        <span className="whitespace-nowrap">{t(`tool.${tool}`)}</span>
        <span className="min-w-0 truncate">{calls.length > 1 ? t("tool.many", { n: calls.length }) : objects[0]}</span>
        <span className={`ml-auto whitespace-nowrap pl-2 text-xs ${outcome === "error" || outcome === "interrupted" ? "text-bad" : ""}`}>{t(`tool.${outcome}`)}</span>
        {outcome !== "running" && <span className="whitespace-nowrap font-mono text-[11px] tabular-nums">{t("tool.seconds", { n: seconds < 0.05 ? "<0.1" : seconds.toFixed(1) })}</span>}
      </button>
      <div id={id} hidden={!open} className="mb-1 ml-[22px] border-l border-line pl-3 text-xs">
        {open && (finished ? <Details calls={calls} turn={turn} /> : <p>{[first?.tool, ...objects, t("tool.after")].join(" · ")}</p>)}
      </div>
    </div>
  );
}

/** A call that did not go well: never folded. */
export function ToolFailure({ call, turn, finished }: { call: Block; turn: string; finished: boolean }) {
  const { t } = useTranslation("room");
  return (
    <div className="rounded-control bg-bad-ground px-2.5 py-1">
      <ToolLine calls={[call]} turn={turn} finished={finished} />
      {finished && <p className="ml-[22px] text-xs text-text"><Output call={call.call ?? ""} turn={turn} none={t("tool.no_detail")} /></p>}
    </div>
  );
}

function useStep(turn: string, call: string) {
  const { agent } = useRoomStore();
  const query = useQuery(turnQuery(agent, turn));
  const step = query.data?.steps?.find((s) => s.calls?.some((c) => c.id === call));
  return { query, step, call: step?.calls?.find((c) => c.id === call) };
}

function Output({ call, turn, none }: { call: string; turn: string; none: string }) {
  const { query, call: found } = useStep(turn, call);
  if (query.isPending) return <span className="skeleton inline-block h-3 w-40" />;
  return <span className="line-clamp-4 [overflow-wrap:anywhere]">{found?.output ?? none}</span>;
}

function Details({ calls, turn }: { calls: Block[]; turn: string }) {
  return (
    <ul className="grid gap-2 py-1">
      {calls.map((c) => <li key={c.call}><Detail call={c} turn={turn} /></li>)}
    </ul>
  );
}

function Detail({ call, turn }: { call: Block; turn: string }) {
  const { t, i18n } = useTranslation("room");
  const { query, step, call: found } = useStep(turn, call.call ?? "");
  const pre = "max-h-40 overflow-auto whitespace-pre-wrap font-mono text-[11px] leading-4 text-text [overflow-wrap:anywhere]";
  if (query.isPending) return <div className="skeleton h-8" />;
  if (query.isError) return <Notice error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <dl className="grid gap-1">
      <dt className="font-mono text-[11px]">{[call.tool, half(call.object ?? "", i18n.language)].filter((w) => w !== "").join(" · ")}</dt>
      {found === undefined && <dd>{t("tool.no_detail")}</dd>}
      {step?.why !== undefined && step.why !== "" && <dd>{`${t("tool.why")}: ${step.why}`}</dd>}
      {found !== undefined && (
        <>
          <dt>{t("tool.asked")}</dt>
          <dd><pre className={pre}>{found.input}</pre></dd>
          <dt>{t("tool.got")}</dt>
          <dd><pre className={pre}>{found.output}</pre></dd>
        </>
      )}
    </dl>
  );
}
