import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

import type { People } from "../../services/genes";
import type { Order } from "../../services/orders";
import { runQuery } from "../../services/runs";
import { Badge } from "../ui/Badge";
import { Time } from "../ui/Time";
import { useFormat } from "../ui/useFormat";
import { CiteLink } from "./CiteLink";
import { useNames } from "./useNames";

const works = ["search", "board", "film"] as const;
const sources = ["fast", "competitor", "hot"] as const;

function useWork(order: Order): string {
  const { t } = useTranslation("card");
  const work = works.find((w) => w === order.work);
  return work === undefined ? order.work : t(`work.${work}`);
}

/** What is ordered, by whom. */
export function OrderTitle({ order, people }: { order: Order; people: People }) {
  const { t } = useTranslation("card");
  const nameOf = useNames();
  const work = useWork(order);
  return (
    <>
      <p className="flex flex-wrap items-center gap-2 text-sm font-semibold">
        {t("order.title")}
        <span className="rounded-full border border-ink-line px-2 text-[11px] leading-[18px] text-on-ink-muted">{work}</span>
      </p>
      <p className="mt-0.5 text-xs text-on-ink-muted">
        {t("proposed", { name: nameOf(order.by, people) })} · <Time at={order.proposedAt} /> · {t("expires")} <Time at={order.expires} look="shortDay" />
      </p>
      <p className="mt-1.5 font-medium [overflow-wrap:anywhere]">{order.what}</p>
      {order.why && <p className="text-sm text-on-ink-muted [overflow-wrap:anywhere]">{order.why}</p>}
    </>
  );
}

/** The whole request: source or mode, how many, what it may cost, what it cites. */
export function OrderFacts({ agent, order }: { agent: string; order: Order }) {
  const { t } = useTranslation("card");
  const format = useFormat();
  const source = sources.find((s) => s === order.source);
  const cites = [...(order.board ? [{ type: "board", id: order.board, panel: 0, from: 0, to: 0 }] : []), ...order.cites.filter((cite) => cite.id !== order.board)];
  return (
    <dl className="mt-2.5 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-0.5 border-t border-ink-line pt-2.5 text-sm">
      {order.work === "search" && <Fact name={t("order.source")}>{source ? t(`source.${source}`) : order.source || t("order.any_source")}</Fact>}
      {order.mode && <Fact name={t("order.mode")}>{order.mode}</Fact>}
      <Fact name={t("order.target")}>{order.target > 0 ? t("order.pieces", { n: order.target }) : t("order.unsaid")}</Fact>
      <Fact name={t("order.cost")}>{order.cost > 0 ? t("order.about", { cost: format.money(order.cost) }) : t("order.unsaid")}</Fact>
      {cites.length > 0 && (
        <Fact name={t("order.cites")}>
          <ul className="grid gap-1">
            {cites.map((cite) => (
              <li key={`${cite.type}${cite.id}`}>
                <CiteLink agent={agent} cite={cite} onInk />
              </li>
            ))}
          </ul>
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-on-ink-muted">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  );
}

/** The way to the board or the film that came of a confirmed order, once it is there. */
function MadeLink({ agent, order }: { agent: string; order: Order }) {
  const { t } = useTranslation("card");
  const makes = order.work === "board" || order.work === "film";
  const run = useQuery({ ...runQuery(agent, order.run), enabled: makes && order.run !== "", refetchInterval: (query) => (query.state.data?.open ? 5_000 : false) }).data;
  const made = run?.products.find((p) => p.type === order.work);
  const look = "text-text underline underline-offset-2";
  if (!made) return null;
  return made.type === "board" ? (
    <Link to="/a/$agent/boards/$board" params={{ agent, board: made.id }} className={look}>{t("order.board")}</Link>
  ) : (
    <Link to="/a/$agent/films/$film" params={{ agent, film: made.id }} className={look}>{t("order.film")}</Link>
  );
}

const tones = { confirmed: "good", declined: "quiet", expired: "quiet" } as const;

/** An order that was decided or grew too old: one line, and the way to its task. */
export function ClosedOrder({ agent, order, people }: { agent: string; order: Order; people: People }) {
  const { t } = useTranslation("card");
  const nameOf = useNames();
  const work = useWork(order);
  const state = order.state === "confirmed" || order.state === "declined" ? order.state : "expired";
  const name = nameOf(order.closedBy, people);
  return (
    <div className="grid gap-1.5">
      <div className="flex items-start justify-between gap-2">
        <p className="text-sm font-semibold">
          {t("order.title")} <span className="font-normal text-muted">{work}</span>
        </p>
        <Badge tone={tones[state]}>{t(`order.state.${state}`)}</Badge>
      </div>
      <p className="[overflow-wrap:anywhere]">{order.what}</p>
      <p className="flex flex-wrap gap-x-3 text-sm text-muted">
        <span>
          {t(`order.outcome.${state}`, { name })} {order.closedAt && <Time at={order.closedAt} />}
        </span>
        {order.run && (
          <Link to="/a/$agent/tasks" params={{ agent }} search={{ run: order.run }} className="text-text underline underline-offset-2">
            {t("order.task")}
          </Link>
        )}
        <MadeLink agent={agent} order={order} />
      </p>
      {order.reason && <p className="text-sm [overflow-wrap:anywhere]">{t("outcome.why", { why: order.reason })}</p>}
    </div>
  );
}
