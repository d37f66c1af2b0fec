import { useState } from "react";
import { useTranslation } from "react-i18next";

import { Badge } from "../ui/Badge";
import { Icon } from "../ui/Icon";
import { Time } from "../ui/Time";
import { useFormat } from "../ui/useFormat";
import type { Call, Step } from "../../services/runs";
import { Tokens } from "./Meters";

/** What the model did, round by round: why, which tools, and what it used. */
export function Transcript({ steps, attempts }: { steps: Step[]; attempts: number }) {
  const { t } = useTranslation("tasks");
  const [all, setAll] = useState({ open: false, times: 0 }); // times: a new choice opens or folds every round anew
  if (steps.length === 0) return <p className="text-muted">{t("detail.no_rounds")}</p>;
  return (
    <>
      <button type="button" className="mb-1 min-h-8 text-sm text-muted underline underline-offset-3 pointer-coarse:min-h-10" onClick={() => { setAll({ open: !all.open, times: all.times + 1 }); }}>
        {t(all.open ? "detail.fold" : "detail.unfold")}
      </button>
      <ol className="grid gap-1.5">
        {steps.map((step) => (
          <li key={`${step.seq}-${all.times}`}>
            <Round step={step} open={all.open} attempts={attempts} />
          </li>
        ))}
      </ol>
    </>
  );
}

function Round({ step, open, attempts }: { step: Step; open: boolean; attempts: number }) {
  const { t } = useTranslation("tasks");
  const format = useFormat();
  const failed = step.calls.filter((c) => c.outcome !== "ok");
  return (
    <details open={open} className="group rounded-control border border-line">
      <summary className="flex cursor-pointer list-none items-start gap-2 px-3 py-2 [&::-webkit-details-marker]:hidden">
        <Icon name="chevronRight" className="mt-1 text-muted group-open:rotate-90" />
        <span className="min-w-0 flex-1">
          <span className="flex flex-wrap items-center gap-x-2">
            <span className="font-medium">{t("detail.round", { n: step.round })}</span>
            {attempts > 1 && <Badge>{t("detail.attempt", { n: step.attempt })}</Badge>}
            {step.calls.length > 0 && <span className="text-sm text-muted">{t("detail.calls", { n: step.calls.length })}</span>}
            {/* An error is never folded away. */}
            {failed.map((call) => <Badge key={call.id} tone="bad">{`${call.tool} · ${outcomeOf(call, t)}`}</Badge>)}
            <span className="ml-auto text-sm text-muted tabular-nums">{format.money(step.cost)}</span>
          </span>
          <Why step={step} />
        </span>
      </summary>
      <div className="grid gap-3 border-t border-line px-3 py-2.5">
        <p className="flex flex-wrap items-center gap-x-3">
          <Tokens usage={step.usage} />
          <span className="font-mono text-xs text-muted">{step.model}</span>
          <Time at={step.at} look="clock" className="text-xs text-muted" />
        </p>
        {step.folded && <p className="text-sm text-warn">{t("detail.folded")}</p>}
        {step.calls.map((call) => <ToolCall key={call.id} call={call} />)}
      </div>
    </details>
  );
}

/** The model's own words, else the names of its tools. */
function Why({ step }: { step: Step }) {
  const { t } = useTranslation("tasks");
  if (step.why !== "") return <span lang="" className="line-clamp-2 text-sm group-open:line-clamp-none [overflow-wrap:anywhere]">{step.why}</span>;
  if (step.calls.length === 0) return <span className="text-sm italic text-muted">{t("detail.no_why")}</span>;
  return <code className="block truncate font-mono text-xs text-muted">{[...new Set(step.calls.map((c) => c.tool))].join(" · ")}</code>;
}

function ToolCall({ call }: { call: Call }) {
  const { t, i18n } = useTranslation("tasks");
  const seconds = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: call.seconds < 1 ? 2 : call.seconds < 10 ? 1 : 0, style: "unit", unit: "second", unitDisplay: "narrow" });
  return (
    <div className="grid gap-1">
      <p className="flex flex-wrap items-center gap-x-2">
        <code className="font-mono text-sm font-semibold">{call.tool}</code>
        <span className={`text-sm ${call.outcome === "ok" ? "text-good" : "text-bad"}`}>{outcomeOf(call, t)}</span>
        <span className="ml-auto font-mono text-xs text-muted">{seconds.format(call.seconds)}</span>
      </p>
      <Shown label={t("detail.input")} text={call.input} />
      <Shown label={t("detail.output")} text={call.output} />
    </div>
  );
}

function Shown({ label, text }: { label: string; text: string }) {
  if (text === "") return null;
  return (
    <div>
      <p className="text-xs text-muted">{label}</p>
      <pre lang="" className="whitespace-pre-wrap rounded-md bg-sunken px-2.5 py-1.5 font-mono text-xs [overflow-wrap:anywhere]">
        {indented(text)}
      </pre>
    </div>
  );
}

/** JSON on several lines; what was cut short is shown as it is. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const outcomes = ["ok", "error", "interrupted"] as const;

function outcomeOf(call: Call, t: ReturnType<typeof useTranslation<"tasks">>["t"]): string {
  const known = outcomes.find((o) => o === call.outcome);
  return known ? t(`detail.outcome.${known}`) : call.outcome;
}
