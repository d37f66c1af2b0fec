import { useTranslation } from "react-i18next";

import { useFormat } from "../../components/ui/useFormat";
import type { RateName, Scores } from "../../services/performance";
import { isEnough } from "./scale";

type Props = { scores: Scores; version: number; metric: RateName; top: number };

/** A version's rate: its interval on the scale of all versions, n, and a word for how it compares. */
export function ScoreBar({ scores, version, metric, top }: Props) {
  const { t } = useTranslation("gene");
  const format = useFormat();
  const rate = scores.versions.find((v) => v.version === version)?.rates[metric];
  if (!rate || rate.of === 0) return <p className="text-xs text-muted">{t("score.none")}</p>;
  const n = t("score.n", { n: format.number(rate.n), of: format.number(rate.of) });
  if (!isEnough(rate, scores)) {
    return (
      <p className="text-xs text-muted">
        <span className="tabular-nums">{n}</span> · {t("score.not_enough", { min: scores.minSample })}
      </p>
    );
  }
  const at = (share: number) => `${Math.min(100, (share / top) * 100).toFixed(2)}%`;
  const baseline = scores.versions.find((v) => v.version === scores.baseline)?.rates[metric];
  const word =
    version === scores.baseline ? t("score.baseline")
    : rate.verdict === null ? ""
    : rate.verdict === "not_enough" ? t("score.no_baseline", { version: scores.baseline })
    : t(`score.${rate.verdict}`, { version: scores.baseline });
  const tone = rate.verdict === "better" ? "font-semibold text-good" : rate.verdict === "worse" ? "font-semibold text-bad" : "text-muted";
  return (
    <div className="grid gap-0.5">
      <div
        role="img"
        aria-label={t("score.label", { metric: t(`metric.${metric}`), value: format.percent(rate.value), low: format.percent(rate.low), high: format.percent(rate.high) })}
        className="relative h-5 rounded bg-sunken"
      >
        {baseline && isEnough(baseline, scores) && <span className="absolute inset-y-0.5 w-px bg-control-line" style={{ left: at(baseline.value) }} />}
        <span className="absolute top-[9px] h-0.5 rounded bg-muted" style={{ left: at(rate.low), width: `calc(${at(rate.high)} - ${at(rate.low)})` }} />
        <span className="absolute top-[5px] -ml-[1.5px] h-2.5 w-[3px] rounded-sm bg-text" style={{ left: at(rate.value) }} />
      </div>
      <p className="flex flex-wrap justify-between gap-x-3 text-xs text-muted">
        <span className="tabular-nums">
          {format.percent(rate.value)} · {n}
        </span>
        {word && <span className={tone}>{word}</span>}
      </p>
    </div>
  );
}
