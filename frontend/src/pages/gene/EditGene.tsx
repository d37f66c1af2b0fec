import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { Notice } from "../../components/ui/Notice";
import { Skeleton } from "../../components/ui/Skeleton";
import { cardQuery } from "../../services/cards";
import type { Gene } from "../../services/genes";
import { begin, beginFrom, loadDraft } from "./draft";
import { EditGeneForm } from "./EditGeneForm";
import { PanelHead } from "./PanelHead";

/** A person edits the gene: the current version, or an expired card carried over to it. */
export function EditGene({ agent, current, card = "" }: { agent: string; current: Gene; card?: string }) {
  const { t } = useTranslation("gene");
  const from = useQuery({ ...cardQuery(agent, card), enabled: card !== "" });
  const kept = loadDraft(agent, card);
  const first = kept ?? (card === "" ? begin(current) : from.data ? beginFrom(from.data, current) : null);
  return (
    <div className="grid gap-4">
      <PanelHead agent={agent} title={card === "" ? t("editing.title") : t("editing.carried", { version: current.version })} />
      {first ? (
        <EditGeneForm key={card} agent={agent} current={current} first={first} resumed={kept !== null} />
      ) : from.error ? (
        <Notice error={from.error} onRetry={() => void from.refetch()} />
      ) : (
        <Skeleton rows={6} height={28} />
      )}
    </div>
  );
}
