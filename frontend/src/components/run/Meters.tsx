import { useTranslation } from "react-i18next";

import { useRunCap } from "../frame/session";
import { useFormat } from "../ui/useFormat";
import { type Run, type Usage } from "../../services/runs";

/** How far a run is, where it is known how far there is to go. */
export function ProgressBar({ run, label }: { run: Run; label: string }) {
  const { progress: p } = run;
  if (!run.open || p === null || p.target <= 0) return null;
  const share = Math.min(1, p.done / p.target);
  return (
    <span role="progressbar" aria-label={label} aria-valuemin={0} aria-valuemax={p.target} aria-valuenow={Math.min(p.done, p.target)} className="inline-block h-1 w-20 shrink-0 overflow-hidden rounded-full bg-line align-middle">
      <i className="block h-full rounded-full bg-text" style={{ width: `${share * 100}%` }} />
    </span>
  );
}

/** What it has cost so far, against the most it may cost. */
export function Cost({ cost }: { cost: number }) {
  const { t, i18n } = useTranslation("tasks");
  const cap = useRunCap();
  const amount = new Intl.NumberFormat(i18n.language, { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(cost);
  const near = cost >= cap * 0.9;
  return (
    <span className={`whitespace-nowrap tabular-nums ${near ? "font-semibold text-warn" : ""}`} title={t("cost.bar", { cost: amount, cap })}>
      {t("cost.of", { cost: amount, cap })}
    </span>
  );
}

/** The four token counts, and how much of what was read came from the cache. */
export function Tokens({ usage }: { usage: Usage }) {
  const { t } = useTranslation("tasks");
  const format = useFormat();
  if (usage === null) return <span className="text-muted">{t("tokens.unknown")}</span>;
  const read = usage.input + usage.cacheWrite + usage.cacheRead;
  const parts = [
    [t("tokens.input"), usage.input],
    [t("tokens.cache_write"), usage.cacheWrite],
    [t("tokens.cache_read"), usage.cacheRead],
    [t("tokens.output"), usage.output],
  ] as const;
  return (
    <span className="inline-flex flex-wrap gap-x-3 text-xs text-muted">
      {parts.map(([name, n]) => (
        <span key={name} className="whitespace-nowrap">
          {name} <b className="font-mono font-medium text-text tabular-nums">{format.number(n)}</b>
        </span>
      ))}
      {read > 0 && <span className="whitespace-nowrap">{t("tokens.share", { n: format.percent(usage.cacheRead / read) })}</span>}
    </span>
  );
}
