import { useTranslation } from "react-i18next";

import { Button } from "../../components/ui/Button";
import { Icon, type IconName } from "../../components/ui/Icon";
import { Notice } from "../../components/ui/Notice";
import { useFormat } from "../../components/ui/useFormat";
import type { Projection, Status } from "../../services/system";
import { BuildLine } from "./BuildLine";
import { useRebuild } from "./useRebuild";
import { useProjectionName } from "./words";

const looks: Record<Status, { icon: IconName; tone: string }> = {
  running: { icon: "check", tone: "text-good" },
  building: { icon: "clock", tone: "text-warn" },
  diverged: { icon: "alert", tone: "text-bad" },
  failed: { icon: "alert", tone: "text-bad" },
};

type Props = { projections: Projection[]; admin: boolean; /** One column, for a phone. */ narrow: boolean; onStarted: () => void };

/** Where each read model stands against the log, and what is being built of it. */
export function ProjectionRows({ projections, admin, narrow, onStarted }: Props) {
  const { t } = useTranslation("system");
  if (narrow) {
    return (
      <ul className="grid gap-2">
        {projections.map((p) => <Card key={p.name} projection={p} admin={admin} onStarted={onStarted} />)}
      </ul>
    );
  }
  const head = "px-4 py-2 text-left text-sm font-medium whitespace-nowrap";
  return (
    <div className="overflow-x-auto rounded-card border border-line bg-surface">
      <table className="w-full border-collapse">
        <thead className="bg-sunken text-muted">
          <tr>
            <th scope="col" className={head}>{t("column.projection")}</th>
            <th scope="col" className={head}>{t("column.state")}</th>
            <th scope="col" className={`${head} text-right`}>{t("column.position")}</th>
            <th scope="col" className={`${head} text-right`}>{t("column.lag")}</th>
            <th scope="col" className={`${head} text-right`}>{t("column.generation")}</th>
            {admin && <th scope="col" className={head}><span className="sr-only">{t("column.action")}</span></th>}
          </tr>
        </thead>
        {projections.map((p) => <Rows key={p.name} projection={p} admin={admin} onStarted={onStarted} />)}
      </table>
    </div>
  );
}

type One = { projection: Projection; admin: boolean; onStarted: () => void };

function Rows({ projection: p, admin, onStarted }: One) {
  const words = useRowWords(p);
  const rebuild = useRebuild(p.name, onStarted);
  const cell = "px-4 py-2";
  const count = `${cell} text-right tabular-nums whitespace-nowrap`;
  return (
    <tbody className="border-t border-line">
      <tr>
        <th scope="row" className={`${cell} text-left`}>
          {words.name} <span className="block font-mono text-xs font-normal text-muted">{p.name}</span>
        </th>
        <td className={cell}><State status={p.status} /></td>
        <td className={count}>{words.position}</td>
        <td className={count}>{words.lag}</td>
        <td className={`${count} text-muted`}>{words.generation}</td>
        {admin && <td className="py-2 pl-2 pr-3 text-right whitespace-nowrap"><Actions projection={p} name={words.name} rebuild={rebuild} /></td>}
      </tr>
      {hasMore(p, rebuild.error) && (
        <tr>
          <td colSpan={admin ? 6 : 5} className="px-4 pb-3 pt-0.5"><More projection={p} name={words.name} error={rebuild.error} /></td>
        </tr>
      )}
    </tbody>
  );
}

function Card({ projection: p, admin, onStarted }: One) {
  const { t } = useTranslation("system");
  const words = useRowWords(p);
  const rebuild = useRebuild(p.name, onStarted);
  return (
    <li className="grid gap-1.5 rounded-card border border-line bg-surface px-4 py-3">
      <div className="flex items-baseline justify-between gap-2">
        <h3 className="font-semibold">{words.name}</h3>
        <State status={p.status} />
      </div>
      <p className="text-sm text-muted tabular-nums">
        {t("column.position")} <span className="text-text">{words.position}</span>
        {" · "}
        {t("column.lag")} <span className="text-text">{words.lag}</span>
      </p>
      <p className="text-sm text-muted tabular-nums">{words.generation}</p>
      {hasMore(p, rebuild.error) && <More projection={p} name={words.name} error={rebuild.error} />}
      {admin && <div className="flex flex-wrap gap-2 pt-0.5"><Actions projection={p} name={words.name} rebuild={rebuild} /></div>}
    </li>
  );
}

function useRowWords(p: Projection) {
  const { t } = useTranslation("system");
  const format = useFormat();
  return {
    name: useProjectionName()(p.name),
    position: format.number(p.position),
    lag: p.lag === 0 ? t("caught_up") : t("lag_of", { n: format.number(p.lag) }),
    generation: t("generation", { n: format.number(p.generation), v: p.version }),
  };
}

function State({ status }: { status: Status }) {
  const { t } = useTranslation("system");
  const { icon, tone } = looks[status];
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap text-sm font-medium ${tone}`}>
      <Icon name={icon} />
      {t(`status.${status}`)}
    </span>
  );
}

function Actions({ projection: p, name, rebuild }: { projection: Projection; name: string; rebuild: ReturnType<typeof useRebuild> }) {
  const { t } = useTranslation("system");
  const build = p.builds.find((b) => b.purpose === "rebuild");
  const start = (words: string) => (
    <Button small aria-disabled={rebuild.starting} aria-label={t("rebuild.one_of", { name })} onClick={rebuild.start}>
      {rebuild.starting ? t("rebuild.asking") : words}
    </Button>
  );
  const drop = (words: string, look: "plain" | "quiet") => (
    <Button small look={look} aria-disabled={rebuild.cancelling} aria-label={t("rebuild.cancel_of", { name })} onClick={rebuild.cancel}>
      {rebuild.cancelling ? t("rebuild.cancelling") : words}
    </Button>
  );
  switch (build?.state) {
    case undefined:
      return start(t("rebuild.one"));
    case "running":
      return drop(t("rebuild.cancel"), "plain");
    case "stopped":
      return <>{drop(t("rebuild.discard"), "quiet")} {start(t("rebuild.go_on"))}</>;
    case "cancelled":
      return null;
  }
}

const hasMore = (p: Projection, error: Error | null) => p.builds.length > 0 || p.status === "diverged" || p.status === "failed" || p.parked > 0 || error !== null;

/** What is under way or wrong, and the way out. */
function More({ projection: p, name, error }: { projection: Projection; name: string; error: Error | null }) {
  const { t } = useTranslation("system");
  return (
    <div className="grid gap-2">
      {(p.status === "diverged" || p.status === "failed") && (
        <div className="rounded-control bg-bad-ground px-3 py-2 text-sm text-bad">
          <p>{t(`way_out.${p.status}`)}</p>
          {p.error !== "" && <p className="font-mono text-xs [overflow-wrap:anywhere]">{p.error}</p>}
        </div>
      )}
      {p.parked > 0 && <p className="text-sm text-warn">{t("way_out.parked", { n: p.parked })}</p>}
      {p.builds.map((b) => <BuildLine key={`${b.purpose} ${b.generation}`} build={b} name={name} />)}
      {error !== null && <Notice error={error} />}
    </div>
  );
}
