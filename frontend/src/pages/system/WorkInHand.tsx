import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { useNow } from "../../components/run/useNow";
import { Empty } from "../../components/ui/Empty";
import { Icon, type IconName } from "../../components/ui/Icon";
import { Notice } from "../../components/ui/Notice";
import { Skeleton } from "../../components/ui/Skeleton";
import { useFormat } from "../../components/ui/useFormat";
import { type Slot, workQuery } from "../../services/system";

/** Who works on what, and what waits for somebody. */
export function WorkInHand({ narrow }: { narrow: boolean }) {
  const { t } = useTranslation("system");
  const format = useFormat();
  const work = useQuery(workQuery);
  const slots = work.data?.slots ?? [];
  const alive = work.data?.alive ?? 0;
  return (
    <section aria-labelledby="work" className="grid gap-3">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h2 id="work" className="font-semibold">{t("work.title")}</h2>
        {work.data && slots.length > 0 && (
          <span className="text-sm text-muted tabular-nums">{t("work.summary", { working: format.number(work.data.working), waiting: format.number(work.data.waiting) })}</span>
        )}
      </div>
      {work.error && <Notice error={work.error} onRetry={() => { void work.refetch(); }} kept={work.data !== undefined} />}
      {work.isPending && <Skeleton rows={1} height={120} />}
      {work.data && slots.length === 0 && <Empty title={t("work.none")} next={t("work.none_next")} />}
      {slots.length > 0 && (narrow ? <Cards slots={slots} alive={alive} /> : <Table slots={slots} alive={alive} />)}
      {work.data && work.data.more > 0 && <p className="text-sm text-muted tabular-nums">{t("work.more", { n: format.number(work.data.more) })}</p>}
    </section>
  );
}

type Props = { slots: Slot[]; alive: number };

const keyOf = (s: Slot) => `${s.work ?? ""} ${s.agent} ${s.run} ${s.turn} ${s.offeredAt.getTime()}`;

function Table({ slots, alive }: Props) {
  const { t } = useTranslation("system");
  const now = useNow(true);
  const head = "px-4 py-2 text-left text-sm font-medium whitespace-nowrap";
  const cell = "px-4 py-2 align-baseline";
  return (
    <div className="overflow-x-auto rounded-card border border-line bg-surface">
      <table className="w-full border-collapse">
        <thead className="bg-sunken text-muted">
          <tr>
            <th scope="col" className={head}>{t("column.state")}</th>
            <th scope="col" className={head}>{t("column.work")}</th>
            <th scope="col" className={head}>{t("column.about")}</th>
            <th scope="col" className={head}>{t("column.worker")}</th>
            <th scope="col" className={`${head} text-right`}>{t("column.since")}</th>
          </tr>
        </thead>
        <tbody>
          {slots.map((s) => (
            <tr key={keyOf(s)} className="border-t border-line">
              <td className={cell}><State slot={s} alive={alive} /></td>
              <td className={`${cell} whitespace-nowrap`}><Kind slot={s} /></td>
              <td className={`${cell} min-w-32`}><About slot={s} /></td>
              <td className={cell}><Worker slot={s} /></td>
              <td className={`${cell} text-right whitespace-nowrap text-muted tabular-nums`}><Since slot={s} now={now} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cards({ slots, alive }: Props) {
  const now = useNow(true);
  return (
    <ul className="grid gap-2">
      {slots.map((s) => (
        <li key={keyOf(s)} className="grid gap-1 rounded-card border border-line bg-surface px-4 py-3">
          <div className="flex items-start justify-between gap-2">
            <span className="font-semibold"><Kind slot={s} /></span>
            <span className="text-sm text-muted tabular-nums"><Since slot={s} now={now} /></span>
          </div>
          <About slot={s} />
          <State slot={s} alive={alive} />
          <p className="text-sm"><Worker slot={s} /></p>
        </li>
      ))}
    </ul>
  );
}

const looks: Record<Slot["state"], { icon: IconName; tone: string }> = {
  waiting: { icon: "clock", tone: "text-muted" },
  working: { icon: "play", tone: "text-focus" },
  silent: { icon: "alert", tone: "text-warn" },
};

function State({ slot, alive }: { slot: Slot; alive: number }) {
  const { t } = useTranslation("system");
  const { icon, tone } = looks[slot.state];
  return (
    <span className="block text-sm">
      <span className={`inline-flex items-center gap-1.5 whitespace-nowrap font-medium ${tone}`}>
        <Icon name={icon} />
        {t(`work.${slot.state}`)}
      </span>
      {slot.state !== "waiting" && <span className="block text-xs text-muted">{t(slot.state === "working" ? "work.sign" : "work.no_sign", { n: Math.round(alive) })}</span>}
    </span>
  );
}

function Kind({ slot }: { slot: Slot }) {
  const { t } = useTranslation("system");
  return <>{slot.work === null ? "?" : t(`work.kind.${slot.work}`)}</>;
}

const link = "underline underline-offset-[3px] hover:text-text pointer-coarse:inline-flex pointer-coarse:min-h-10 pointer-coarse:items-center";

function About({ slot }: { slot: Slot }) {
  const { t } = useTranslation("system");
  return (
    <span className="flex flex-wrap items-baseline gap-x-2">
      <Link to="/a/$agent" params={{ agent: slot.agent }} className={`${link} [overflow-wrap:anywhere]`}>{slot.agentName || t("parked.unnamed")}</Link>
      {slot.run !== "" && <Link to="/a/$agent/tasks" params={{ agent: slot.agent }} search={{ run: slot.run }} className={`${link} text-sm text-muted`}>{t("work.task")}</Link>}
      {slot.turn !== "" && <span className="text-sm text-muted">{t("work.turn")}</span>}
    </span>
  );
}

function Worker({ slot }: { slot: Slot }) {
  const { t } = useTranslation("system");
  if (slot.worker === "" && slot.attempt === 0) return <span className="text-sm text-muted">{t("work.nobody")}</span>;
  return (
    <span className="block text-sm">
      {slot.worker !== "" && <span className="block font-mono text-xs [overflow-wrap:anywhere]">{slot.worker}</span>}
      {slot.attempt > 0 && <span className="text-muted tabular-nums">{t("work.attempt", { n: slot.attempt })}</span>}
    </span>
  );
}

/** How long it has been worked on, or has waited. */
function Since({ slot, now }: { slot: Slot; now: number }) {
  const { t } = useTranslation("system");
  const format = useFormat();
  const waiting = slot.state === "waiting" || slot.startedAt === null;
  const from = waiting ? slot.offeredAt : (slot.startedAt ?? slot.offeredAt);
  const time = format.span(Math.max(0, now - from.getTime()) / 1000);
  return <time dateTime={from.toISOString()} title={format.dateTime(from)}>{waiting ? t("work.queued", { time }) : time}</time>;
}
