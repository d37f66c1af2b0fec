import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import type { People } from "../../services/genes";
import { confirmOrder, declineOrder, orderClosed, orderOf, orderQuery, ordersKey, type OrderState } from "../../services/orders";
import { Problem } from "../../services/api";
import { Notice } from "../ui/Notice";
import { DeclineForm } from "./DeclineForm";
import { InkButton } from "./InkButton";
import { Lost } from "./Lost";
import { ClosedOrder, OrderFacts, OrderTitle } from "./OrderFacts";
import { usePast } from "./past";
import { PastOrder } from "./PastCard";
import { winnerOf } from "./status";
import { useCardKeys } from "./useCardKeys";
import { useCommand } from "./useCommand";
import { useMayWrite } from "./useMayWrite";

type Props = {
  agent: string;
  /** The order as the room's row has it. */
  order: OrderState;
  people?: People;
  /** The keys A and D mean this order unless another card has the focus. */
  focused?: boolean;
};

/** Paid work that the butler proposes: nothing runs until somebody confirms. */
export function OrderCard(props: Props) {
  return usePast() ? <PastOrder {...props} /> : <PresentOrder {...props} />;
}

function PresentOrder({ agent, order: row, people = {}, focused = false }: Props) {
  const { t } = useTranslation("card");
  const queries = useQueryClient();
  const mayWrite = useMayWrite(agent);
  const [declining, setDeclining] = useState(false);
  const place = useRef<HTMLElement>(null);
  const refused = async (error: unknown) => {
    if (error instanceof Problem && error.code === "conflict") await queries.invalidateQueries({ queryKey: ordersKey(agent) });
    throw error;
  };
  const confirm = useCommand((order: string, key) => confirmOrder(queries, agent, order, key).catch(refused));
  const decline = useCommand((why: string, key) => declineOrder(queries, agent, row.order, why, key).catch(refused));
  const error = confirm.error ?? decline.error;
  const winner = winnerOf(error, orderClosed);
  const acted = confirm.isSuccess || decline.isSuccess || winner !== null;
  // What the log says counts: the room's row, or a fresh reading after a command.
  const read = useQuery({ ...orderQuery(agent, row.order), enabled: acted && row.state === "pending" }).data;
  const order = row.state === "pending" && read ? read : orderOf(row);
  const pending = order.state === "pending";
  const busy = confirm.isPending || decline.isPending || confirm.isSuccess || decline.isSuccess;
  const nod = () => {
    decline.reset();
    confirm.mutate(row.order);
  };
  const act = (what: () => void) => () => {
    if (pending && mayWrite && !busy && !declining) what();
  };
  useCardKeys(place, focused, { a: act(nod), d: act(() => { setDeclining(true); }) });

  return (
    <article
      ref={place}
      tabIndex={-1}
      data-card={row.order}
      {...(focused ? { "data-keys": "" } : {})}
      aria-label={`${t("order.title")}: ${order.what}`}
      className={`group/card rounded-card px-4 py-3.5 ${pending ? "bg-ink text-on-ink shadow-card" : "border border-line bg-surface"}`}
    >
      {winner && <div className="mb-2"><Lost winner={winner} /></div>}
      {!pending && <ClosedOrder agent={agent} order={order} people={people} />}
      {pending && (
        <>
          <OrderTitle order={order} people={people} />
          <OrderFacts agent={agent} order={order} />
          {mayWrite && !declining && (
            <div className="mt-3.5 flex flex-wrap gap-2">
              <InkButton primary hint="A" disabled={busy} onClick={nod}>{confirm.isPending || confirm.isSuccess ? t("order.confirming") : t("order.confirm")}</InkButton>
              <InkButton hint="D" disabled={busy} onClick={() => { setDeclining(true); }}>{t("order.decline")}</InkButton>
            </div>
          )}
          {mayWrite && declining && (
            <DeclineForm
              busy={busy}
              onDecline={(why) => {
                confirm.reset();
                decline.mutate(why);
              }}
              onCancel={() => { setDeclining(false); }}
            />
          )}
          {!mayWrite && <p className="mt-3 text-xs text-on-ink-muted">{t("viewer")}</p>}
          {error && !winner && (
            <div className="mt-3 grid gap-1">
              <Notice error={error} onRetry={() => { if (confirm.error) nod(); else decline.mutate(decline.variables ?? ""); }} />
              <p className="text-xs text-on-ink-muted">{t("order.waits")}</p>
            </div>
          )}
          <span role="status" className="sr-only">{busy ? t("order.confirming") : ""}</span>
        </>
      )}
    </article>
  );
}
