import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { askAgain, type Card } from "../../services/cards";
import { type Gene, geneQuery, versionsQuery } from "../../services/genes";
import { Button } from "../ui/Button";
import { Notice } from "../ui/Notice";
import { Skeleton } from "../ui/Skeleton";
import { Time } from "../ui/Time";
import { TextChanges } from "./TextChanges";
import { useCommand } from "./useCommand";
import { useDiscarded } from "./useDiscarded";
import { useNames } from "./useNames";

type Props = { agent: string; card: Card; movedTo: number; authors: Gene | undefined; mayWrite: boolean };

/** The gene moved under a card: what the newer version changed, and what can be done with the card now. */
export function MovedPanel({ agent, card, movedTo, authors, mayWrite }: Props) {
  const { t } = useTranslation("card");
  const nameOf = useNames();
  const queries = useQueryClient();
  const [discarded, setDiscarded] = useDiscarded(card.id);
  const moved = useQuery(geneQuery(agent, movedTo));
  const versions = useQuery(versionsQuery(agent));
  const ask = useCommand((text: string, key) => askAgain(queries, agent, card.id, text, key));
  const newer = versions.data?.list.find((v) => v.version === movedTo);
  const current = versions.data?.list[0]?.version ?? movedTo;
  if (discarded) {
    return (
      <p className="flex flex-wrap items-center gap-x-3 text-sm text-muted">
        {t("moved.discarded")}
        <Button small look="quiet" onClick={() => { setDiscarded(false); }}>{t("moved.undiscard")}</Button>
      </p>
    );
  }
  return (
    <div role="group" aria-label={t("moved.label")} className="grid gap-2 rounded-control border border-warn/40 bg-warn-ground p-3">
      <p className="text-sm font-semibold text-warn">
        {newer ? t("moved.by", { name: nameOf(newer.by, versions.data?.people ?? {}), version: movedTo, base: card.base }) : t("moved.title", { version: movedTo, base: card.base })}
        {newer && <Time at={newer.at} className="ml-2 font-normal" />}
      </p>
      {moved.data ? <TextChanges from={card.was} to={moved.data} authors={authors} /> : moved.error ? <Notice error={moved.error} onRetry={() => void moved.refetch()} /> : <Skeleton rows={2} height={18} />}
      {current > movedTo && (
        <p className="text-sm">
          <Link to="/a/$agent/gene" params={{ agent }} search={{ from: card.base, to: current }} className="underline underline-offset-2">{t("moved.further", { version: current })}</Link>
        </p>
      )}
      {mayWrite && (
        <div className="flex flex-wrap items-center gap-2">
          <Link
            to="/a/$agent/gene"
            params={{ agent }}
            search={{ edit: true, card: card.id }}
            className="inline-flex min-h-8 items-center rounded-control border border-ink bg-ink px-3 text-sm font-semibold text-on-ink hover:bg-ink-raised pointer-coarse:min-h-10"
          >
            {t("moved.rebase", { version: current })}
          </Link>
          <Button small disabled={ask.isPending || ask.isSuccess} onClick={() => { ask.mutate(t("moved.message", { summary: card.summary, base: card.base, version: current })); }}>
            {ask.isSuccess ? t("moved.asked") : ask.isPending ? t("moved.asking") : t("moved.ask")}
          </Button>
          <Button small look="quiet" onClick={() => { setDiscarded(true); }}>{t("moved.discard")}</Button>
        </div>
      )}
      {ask.error && <Notice error={ask.error} onRetry={() => { ask.mutate(t("moved.message", { summary: card.summary, base: card.base, version: current })); }} />}
    </div>
  );
}
