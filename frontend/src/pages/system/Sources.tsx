import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { Icon, type IconName } from "../../components/ui/Icon";
import { Notice } from "../../components/ui/Notice";
import { Skeleton } from "../../components/ui/Skeleton";
import { Time } from "../../components/ui/Time";
import { useFormat } from "../../components/ui/useFormat";
import { type Source, type SourceState, sourcesQuery } from "../../services/system";
import { UnknownCalls } from "./UnknownCalls";

/** The outside services: whether each answers, how often it failed, what it has cost. */
export function Sources({ narrow }: { narrow: boolean }) {
  const { t } = useTranslation("system");
  const sources = useQuery(sourcesQuery);
  const { data } = sources;
  return (
    <section aria-labelledby="sources" className="grid gap-3">
      <div>
        <h2 id="sources" className="font-semibold">{t("sources.title")}</h2>
        <p className="max-w-prose text-sm text-muted">{t("sources.why")}</p>
      </div>
      {sources.error && <Notice error={sources.error} onRetry={() => { void sources.refetch(); }} kept={data !== undefined} />}
      {sources.isPending && <Skeleton rows={1} height={160} />}
      {data && data.sources.length > 0 && (narrow ? <Cards sources={data.sources} /> : <Table sources={data.sources} />)}
      {data && data.unknown.length > 0 && <UnknownCalls calls={data.unknown} total={data.unknownTotal} />}
    </section>
  );
}

function Table({ sources }: { sources: Source[] }) {
  const { t } = useTranslation("system");
  const format = useFormat();
  const head = "px-4 py-2 text-left text-sm font-medium whitespace-nowrap";
  const cell = "px-4 py-2 align-baseline";
  const count = `${cell} text-right tabular-nums whitespace-nowrap`;
  return (
    <div className="overflow-x-auto rounded-card border border-line bg-surface">
      <table className="w-full border-collapse">
        <thead className="bg-sunken text-muted">
          <tr>
            <th scope="col" className={head}>{t("column.source")}</th>
            <th scope="col" className={head}>{t("column.state")}</th>
            <th scope="col" className={`${head} text-right`}>{t("column.calls")}</th>
            <th scope="col" className={`${head} text-right`}>{t("column.failures")}</th>
            <th scope="col" className={`${head} text-right`}>{t("column.spent")}</th>
            <th scope="col" className={`${head} text-right`}>{t("column.last_ok")}</th>
            <th scope="col" className={head}>{t("column.last_error")}</th>
          </tr>
        </thead>
        <tbody>
          {sources.map((s) => (
            <tr key={s.name} className="border-t border-line">
              <th scope="row" className={`${cell} text-left font-normal`}><Name source={s} /></th>
              <td className={cell}><State source={s} /></td>
              <td className={count}>{format.number(s.calls)}</td>
              <td className={`${count} ${s.failures > 0 ? "font-semibold text-warn" : ""}`}>{format.number(s.failures)}</td>
              <td className={count}>{format.money(s.cost)}</td>
              <td className={`${count} text-muted`}>{s.lastOk ? <Time at={s.lastOk} /> : "–"}</td>
              <td className={`${cell} min-w-48 text-sm text-muted`}><LastError source={s} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cards({ sources }: { sources: Source[] }) {
  const { t } = useTranslation("system");
  const format = useFormat();
  return (
    <ul className="grid gap-2">
      {sources.map((s) => (
        <li key={s.name} className="grid gap-1 rounded-card border border-line bg-surface px-4 py-3">
          <div className="flex items-start justify-between gap-2">
            <Name source={s} />
            <State source={s} />
          </div>
          <p className="text-sm text-muted tabular-nums">
            {[`${t("column.calls")} ${format.number(s.calls)}`, `${t("column.failures")} ${format.number(s.failures)}`, `${t("column.spent")} ${format.money(s.cost)}`].join(" · ")}
          </p>
          {s.lastOk && <p className="text-sm text-muted">{t("column.last_ok")} <Time at={s.lastOk} /></p>}
          <LastError source={s} />
        </li>
      ))}
    </ul>
  );
}

function Name({ source: s }: { source: Source }) {
  const { t } = useTranslation("system");
  return (
    <span className="block">
      <span className="block font-medium [overflow-wrap:anywhere]">{s.name}</span>
      {s.kind && <span className="block text-xs text-muted">{t(`sources.kind.${s.kind}`)}</span>}
    </span>
  );
}

const looks: Record<SourceState, { icon: IconName; tone: string }> = {
  unused: { icon: "clock", tone: "text-muted" },
  ok: { icon: "check", tone: "text-good" },
  limited: { icon: "clock", tone: "text-warn" },
  open: { icon: "alert", tone: "text-warn" },
  down: { icon: "alert", tone: "text-bad" },
  off: { icon: "close", tone: "text-muted" },
};

function State({ source: s }: { source: Source }) {
  const { t } = useTranslation("system");
  const format = useFormat();
  const { icon, tone } = looks[s.state];
  return (
    <span className="block text-sm">
      <span className={`inline-flex items-center gap-1.5 whitespace-nowrap font-medium ${tone}`}>
        <Icon name={icon} />
        {t(`sources.state.${s.state}`)}
      </span>
      {s.until && <span className="block text-xs text-muted">{t("sources.until", { at: format.clock(s.until) })}</span>}
    </span>
  );
}

/** The service's own words are quoted, never more. */
function LastError({ source: s }: { source: Source }) {
  if (s.lastError === "") return null;
  return (
    <span className="block text-sm text-muted">
      <span lang="" className="line-clamp-2 [overflow-wrap:anywhere]" title={s.lastError}>{s.lastError}</span>
      {s.lastErrorAt && <Time at={s.lastErrorAt} className="text-xs" />}
    </span>
  );
}
