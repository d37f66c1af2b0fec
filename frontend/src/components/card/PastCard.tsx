import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import type { CardState } from "../../services/cards";
import type { People } from "../../services/genes";
import { orderOf, type OrderState } from "../../services/orders";
import { Badge } from "../ui/Badge";
import { Time } from "../ui/Time";
import { CardTitle } from "./PendingCard";
import { statusOf } from "./status";
import { useNames } from "./useNames";

const frame = "grid gap-1.5 rounded-card border border-line bg-surface px-4 py-3.5";

/** A gene card as it stood then, and the way to where it stands now. */
export function PastCard({ agent, card, people = {} }: { agent: string; card: CardState; people?: People }) {
  const { t } = useTranslation("card");
  const nameOf = useNames();
  const then = statusOf(card, undefined);
  return (
    <article aria-label={`${t("title")}: ${card.summary}`} className={frame}>
      <div className="flex items-start justify-between gap-2">
        <CardTitle base={then.base} next={then.state === "applied" ? then.version : 0} quiet />
        <Badge>{t(`past.${then.state}`)}</Badge>
      </div>
      <p className="[overflow-wrap:anywhere]">{card.summary}</p>
      {card.reason !== "" && <p className="text-sm text-muted [overflow-wrap:anywhere]">{card.reason}</p>}
      <p className="flex flex-wrap gap-x-3 text-sm text-muted">
        <span>
          {t("proposed", { name: nameOf(card.by, people) })} <Time at={card.proposed_at} look="shortDay" />
        </span>
        <Link to="/a/$agent/gene" params={{ agent }} search={{ card: card.card }} className="text-text underline underline-offset-2">
          {t("past.now")}
        </Link>
      </p>
    </article>
  );
}

const works = ["search", "board", "film"] as const;
const states = ["pending", "confirmed", "declined", "expired"] as const;

/** An order as it stood then. */
export function PastOrder({ order: row, people = {} }: { order: OrderState; people?: People }) {
  const { t } = useTranslation("card");
  const nameOf = useNames();
  const order = orderOf(row);
  const work = works.find((w) => w === order.work);
  return (
    <article aria-label={`${t("order.title")}: ${order.what}`} className={frame}>
      <div className="flex items-start justify-between gap-2">
        <p className="text-sm font-semibold">
          {t("order.title")} <span className="font-normal text-muted">{work ? t(`work.${work}`) : order.work}</span>
        </p>
        <Badge>{t(`past.${states.find((s) => s === order.state) ?? "pending"}`)}</Badge>
      </div>
      <p className="[overflow-wrap:anywhere]">{order.what}</p>
      <p className="text-sm text-muted">
        {t("proposed", { name: nameOf(order.by, people) })} <Time at={order.proposedAt} look="shortDay" />
      </p>
    </article>
  );
}
