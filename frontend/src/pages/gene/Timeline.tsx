import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { Button } from "../../components/ui/Button";
import { Select } from "../../components/ui/Field";
import { useFormat } from "../../components/ui/useFormat";
import type { Versions } from "../../services/genes";
import { type RateName, rates, type Scores } from "../../services/performance";
import { isEnough, topOf } from "./scale";
import { VersionEntry } from "./VersionEntry";

const page = 20;

type Props = { agent: string; versions: Versions; scores: Scores | undefined; metric: RateName; open: readonly number[]; mayWrite: boolean };

/** The versions, newest first, each with what came of it. */
export function Timeline({ agent, versions, scores, metric, open, mayWrite }: Props) {
  const { t } = useTranslation("gene");
  const format = useFormat();
  const navigate = useNavigate();
  const [most, setMost] = useState(page);
  const { list } = versions;
  const current = list[0]?.version ?? 0;
  const top = scores ? topOf(scores, metric) : 1;
  const drawn = scores?.versions.some((v) => {
    const rate = v.rates[metric];
    return rate !== undefined && isEnough(rate, scores);
  });
  return (
    <section aria-label={t("versions")}>
      <div className="mb-1 flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="text-sm font-semibold text-muted">{t("versions")}</h2>
        {current > 1 && (
          <Link to="/a/$agent/gene" params={{ agent }} search={(old) => ({ ...keep(old.metric), from: current - 1, to: current })} className="ml-auto rounded text-sm text-muted underline-offset-2 hover:text-text hover:underline">
            {t("compare_any")}
          </Link>
        )}
      </div>
      <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
        <Select
          label={t("metric.label")}
          value={metric}
          onChange={(e) => {
            const chosen = rates.find((rate) => rate === e.target.value);
            void navigate({ to: "/a/$agent/gene", params: { agent }, search: (old) => ({ ...old, ...keep(chosen) }), replace: true, resetScroll: false });
          }}
        >
          {rates.map((rate) => (
            <option key={rate} value={rate}>{t(`metric.${rate}`)}</option>
          ))}
        </Select>
        {drawn && <span className="tabular-nums">{t("scale", { top: format.percent(top) })}</span>}
      </div>
      <ol className="relative grid gap-5 pl-6 before:absolute before:inset-y-2 before:left-[7px] before:w-px before:bg-line-strong">
        {list.slice(0, most).map((v) => (
          <VersionEntry key={v.version} agent={agent} version={v} people={versions.people} current={current} scores={scores} metric={metric} top={top} open={open.includes(v.version)} mayWrite={mayWrite} />
        ))}
      </ol>
      {list.length > most && (
        <Button small look="quiet" className="mt-3" onClick={() => { setMost(most + page); }}>{t("older", { n: list.length - most })}</Button>
      )}
    </section>
  );
}

const keep = (metric: RateName | undefined) => (metric === undefined ? {} : { metric });
