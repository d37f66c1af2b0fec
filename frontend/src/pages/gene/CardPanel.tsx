import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { GeneCard } from "../../components/card/GeneCard";
import { Notice } from "../../components/ui/Notice";
import { Skeleton } from "../../components/ui/Skeleton";
import { cardQuery, stateOfCard } from "../../services/cards";
import { PanelHead } from "./PanelHead";

/** A card on the gene page, whole, however it ended. */
export function CardPanel({ agent, card }: { agent: string; card: string }) {
  const { t } = useTranslation("gene");
  const { data, error, refetch } = useQuery(cardQuery(agent, card));
  return (
    <div className="grid gap-4">
      <PanelHead agent={agent} title={t("card_title")} />
      {data ? <GeneCard agent={agent} card={stateOfCard(data)} people={data.people} open /> : error ? <Notice error={error} onRetry={() => void refetch()} /> : <Skeleton rows={4} height={28} />}
    </div>
  );
}
