import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { differing, TextChanges } from "../../components/card/TextChanges";
import { useCommand } from "../../components/card/useCommand";
import { Button } from "../../components/ui/Button";
import { Notice } from "../../components/ui/Notice";
import { Skeleton } from "../../components/ui/Skeleton";
import { Problem } from "../../services/api";
import { refreshCards, waitingCardsQuery } from "../../services/cards";
import { baseMoved, type Gene, geneQuery, rollBack } from "../../services/genes";
import { PanelHead } from "./PanelHead";

/** A rollback before it happens: what of the current version would change, and what it does besides. */
export function RollBack({ agent, to, current }: { agent: string; to: number; current: Gene }) {
  const { t } = useTranslation("gene");
  const queries = useQueryClient();
  const navigate = useNavigate();
  const old = useQuery(geneQuery(agent, to));
  const waiting = useQuery(waitingCardsQuery(agent)).data?.length ?? 0;
  const next = current.version + 1;
  const command = useCommand(
    (ask: { base: number; to: number }, key) =>
      rollBack(queries, agent, ask, key).catch(async (error: unknown) => {
        if (error instanceof Problem && error.reason === baseMoved) await refreshCards(queries, agent);
        throw error;
      }),
    () => {
      void queries.invalidateQueries({ queryKey: waitingCardsQuery(agent).queryKey });
      void navigate({ to: "/a/$agent/gene", params: { agent }, search: {}, replace: true });
    },
  );
  const same = old.data !== undefined && differing(current, old.data).length === 0;
  const moved = command.error instanceof Problem && command.error.reason === baseMoved;
  return (
    <div className="grid gap-4">
      <PanelHead agent={agent} title={t("rollback.title", { version: to })} />
      <p className="max-w-prose text-muted">{t("rollback.does", { version: to, next })}</p>
      {old.error ? (
        <Notice error={old.error} onRetry={() => void old.refetch()} />
      ) : old.data ? (
        <div className="rounded-card border border-line bg-surface px-4 py-3">
          {same ? <p className="text-muted">{t("rollback.same", { version: to, current: current.version })}</p> : <TextChanges from={current} to={old.data} authors={current} />}
        </div>
      ) : (
        <Skeleton rows={5} height={22} />
      )}
      {waiting > 0 && !same && <p className="rounded-control bg-warn-ground px-3 py-2 text-sm text-warn">{t("rollback.cards", { count: waiting })}</p>}
      {moved && <p role="alert" className="rounded-control bg-warn-ground px-3 py-2 text-sm text-warn">{t("rollback.moved", { version: current.version })}</p>}
      {command.error && !moved && <Notice error={command.error} onRetry={() => { command.mutate({ base: current.version, to }); }} />}
      <div className="flex flex-wrap gap-2">
        <Button look="primary" disabled={!old.data || same || command.isPending || command.isSuccess} onClick={() => { command.mutate({ base: current.version, to }); }}>
          {command.isPending ? t("rollback.busy") : t("rollback.submit", { next })}
        </Button>
        <Button onClick={() => void navigate({ to: "/a/$agent/gene", params: { agent }, search: {} })}>{t("cancel")}</Button>
      </div>
    </div>
  );
}
