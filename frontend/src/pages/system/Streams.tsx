import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { Notice } from "../../components/ui/Notice";
import { Skeleton } from "../../components/ui/Skeleton";
import { useFormat } from "../../components/ui/useFormat";
import { type Consumer, type Stream, streamsQuery } from "../../services/system";

/** The streams and who reads them. */
export function Streams({ narrow }: { narrow: boolean }) {
  const { t } = useTranslation("system");
  const streams = useQuery(streamsQuery);
  return (
    <section aria-labelledby="streams" className="grid gap-3">
      <div>
        <h2 id="streams" className="font-semibold">{t("streams.title")}</h2>
        <p className="max-w-prose text-sm text-muted">{t("streams.why")}</p>
      </div>
      {streams.error && <Notice error={streams.error} onRetry={() => { void streams.refetch(); }} kept={streams.data !== undefined} />}
      {streams.isPending && <Skeleton rows={1} height={180} />}
      {streams.data && (narrow ? <Cards streams={streams.data} /> : <Table streams={streams.data} />)}
    </section>
  );
}

function Table({ streams }: { streams: Stream[] }) {
  const { t } = useTranslation("system");
  const format = useFormat();
  const head = "px-4 py-2 text-sm font-medium whitespace-nowrap";
  const cell = "px-4 py-2";
  const count = `${cell} text-right tabular-nums whitespace-nowrap`;
  return (
    <div className="overflow-x-auto rounded-card border border-line bg-surface">
      <table className="w-full border-collapse">
        <thead className="bg-sunken text-muted">
          <tr>
            <th scope="col" className={`${head} text-left`}>{t("column.stream")}</th>
            <th scope="col" className={`${head} text-right`}>{t("column.messages")}</th>
            <th scope="col" className={`${head} text-right`}>{t("column.size")}</th>
            <th scope="col" className={`${head} text-right`}>{t("column.range")}</th>
            <th scope="col" className={`${head} text-left`}>{t("column.consumer")}</th>
            <th scope="col" className={`${head} text-right`}>{t("column.pending")}</th>
            <th scope="col" className={`${head} text-right`}>{t("column.in_work")}</th>
            <th scope="col" className={`${head} text-right`}>{t("column.redelivered")}</th>
            <th scope="col" className={`${head} text-right`}>{t("column.idle")}</th>
          </tr>
        </thead>
        {streams.map((s) => {
          const rows = Math.max(1, s.consumers.length);
          const of = (c: Consumer | undefined) =>
            c === undefined ? (
              <td colSpan={5} className={`${cell} text-sm text-muted`}>{t("streams.none")}</td>
            ) : (
              <>
                <td className={`${cell} whitespace-nowrap`}><Name consumer={c} /></td>
                <td className={`${count} ${c.pending > 0 ? "font-semibold" : ""}`}>{format.number(c.pending)}</td>
                <td className={count}>{format.number(c.inWork)}</td>
                <td className={`${count} ${c.redelivered > 0 ? "font-semibold text-warn" : ""}`}>{format.number(c.redelivered)}</td>
                <td className={`${count} text-muted`}>{format.number(c.idle)}</td>
              </>
            );
          return (
            <tbody key={s.name} className="border-t border-line align-baseline">
              <tr>
                <th scope="rowgroup" rowSpan={rows} className={`${cell} text-left font-mono text-xs font-semibold`}>{s.name}</th>
                <td rowSpan={rows} className={count}>{format.number(s.messages)}</td>
                <td rowSpan={rows} className={count}>{format.bytes(s.bytes)}</td>
                <td rowSpan={rows} className={`${count} text-muted`}><Range stream={s} /></td>
                {of(s.consumers[0])}
              </tr>
              {s.consumers.slice(1).map((c) => <tr key={c.name}>{of(c)}</tr>)}
            </tbody>
          );
        })}
      </table>
    </div>
  );
}

/** The name, unless it was made up for a reader that comes and goes. */
function Name({ consumer: c }: { consumer: Consumer }) {
  const { t } = useTranslation("system");
  if (c.lasting) return <span className="font-mono text-xs">{c.name}</span>;
  return <span className="text-sm text-muted" title={c.name}>{t("streams.follower")}</span>;
}

function Range({ stream: s }: { stream: Stream }) {
  const { t } = useTranslation("system");
  const format = useFormat();
  return s.messages === 0 ? t("streams.empty") : t("streams.range", { first: format.number(s.first), last: format.number(s.last) });
}

function Cards({ streams }: { streams: Stream[] }) {
  const { t } = useTranslation("system");
  const format = useFormat();
  return (
    <ul className="grid gap-2">
      {streams.map((s) => (
        <li key={s.name} className="grid gap-1 rounded-card border border-line bg-surface px-4 py-3">
          <div className="flex items-baseline justify-between gap-2">
            <h3 className="font-mono text-sm font-semibold">{s.name}</h3>
            <span className="text-sm text-muted tabular-nums">{format.bytes(s.bytes)}</span>
          </div>
          <p className="text-sm text-muted tabular-nums">
            {`${t("column.messages")} `}
            <span className="text-text">{format.number(s.messages)}</span>
            {` · ${t("column.range")} `}
            <span className="text-text"><Range stream={s} /></span>
          </p>
          {s.consumers.map((c) => (
            <p key={c.name} className="border-t border-line pt-1 text-sm text-muted tabular-nums">
              <span className="block text-text [overflow-wrap:anywhere]"><Name consumer={c} /></span>
              {[
                `${t("column.pending")} ${format.number(c.pending)}`,
                `${t("column.in_work")} ${format.number(c.inWork)}`,
                `${t("column.redelivered")} ${format.number(c.redelivered)}`,
                `${t("column.idle")} ${format.number(c.idle)}`,
              ].join(" · ")}
            </p>
          ))}
        </li>
      ))}
    </ul>
  );
}
