import { useTranslation } from "react-i18next";

import { Badge } from "../ui/Badge";
import { useFormat } from "../ui/useFormat";
import { type Analysis, type Material, type Metrics, sections } from "../../services/materials";
import { Part } from "./Part";

/** What is understood of a video. A section that nobody could judge says so. */
export function AnalysisSections({ material }: { material: Material }) {
  const { t } = useTranslation("materials");
  const format = useFormat();
  const { analysis, rating } = material;
  if (analysis === null) {
    return (
      <Part title={t("detail.analysis")}>
        <p className="font-medium">{t("detail.not_analysed")}</p>
        <p className="text-muted">{material.media.video ? t("detail.not_analysed_why") : t("detail.not_analysed_media")}</p>
      </Part>
    );
  }
  return (
    <Part title={t("detail.analysis")} note={t("detail.analysed_by", { analyser: analysis.analyser, at: format.dateTime(analysis.at) })}>
      {analysis.metrics && <Numbers metrics={analysis.metrics} />}
      <dl className="grid gap-3">
        {sections.map((section) => (
          <div key={section}>
            <dt className="flex items-center gap-2 font-medium">
              {t(`detail.section.${section}`)}
              {section === "highlight" && rating && <Badge tone={rating === "high" ? "strong" : "quiet"}>{t(`rating.${rating}`)}</Badge>}
            </dt>
            <Section text={analysis.sections[section]} analyser={analysis.analyser} />
          </div>
        ))}
      </dl>
      <Report text={analysis.report} />
    </Part>
  );
}

function Section({ text, analyser }: { text: string | null; analyser: string }) {
  const { t } = useTranslation("materials");
  if (text === null) return <dd className="text-muted italic">{t("detail.missing", { analyser })}</dd>;
  return <dd lang="" className="text-muted [overflow-wrap:anywhere]">{text}</dd>;
}

function Numbers({ metrics: m }: { metrics: Metrics }) {
  const { t, i18n } = useTranslation("materials");
  const format = useFormat();
  const one = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 1 });
  const seconds = (n: number) => t("detail.seconds", { n: one.format(n) });
  const numbers: [string, string][] = [
    [t("detail.metric.shots"), format.number(m.shots)],
    [t("detail.metric.average"), seconds(m.averageShot)],
    [t("detail.metric.pace"), one.format(m.cutsPerMinute)],
    ...(m.firstCut === null ? [] : ([[t("detail.metric.first"), seconds(m.firstCut)]] satisfies [string, string][])),
    [t("detail.metric.first3"), t("detail.times", { n: m.cutsFirst3s })],
    [t("detail.metric.motion"), one.format(m.motion)],
    [t("detail.metric.loudness"), m.loudness === null ? t("detail.no_sound") : `${one.format(m.loudness)} LUFS`],
    ...(m.silence === null ? [] : ([[t("detail.metric.silence"), format.percent(m.silence)]] satisfies [string, string][])),
    [t("detail.metric.aspect"), m.aspect],
  ];
  return (
    <dl className="mb-4 grid grid-cols-3 gap-px overflow-hidden rounded-control border border-line bg-line">
      {numbers.map(([name, value]) => (
        <div key={name} className="bg-surface px-3 py-1.5">
          <dt className="text-xs text-muted">{name}</dt>
          <dd className="tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Report({ text }: { text: Analysis["report"] }) {
  const { t } = useTranslation("materials");
  if (text === "") return null;
  return (
    <details className="mt-3">
      <summary className="cursor-pointer py-1 text-muted">{t("detail.report")}</summary>
      <p lang="" className="mt-1 whitespace-pre-wrap text-muted [overflow-wrap:anywhere]">{text}</p>
    </details>
  );
}
