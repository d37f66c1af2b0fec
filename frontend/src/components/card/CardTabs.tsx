import { useState } from "react";
import { useTranslation } from "react-i18next";

import type { Card } from "../../services/cards";
import type { Gene } from "../../services/genes";
import { Tabs } from "../ui/Tabs";
import { countOfEvidence, Evidence } from "./Evidence";
import { FullText } from "./FullText";
import { TextChanges } from "./TextChanges";

/** What a card would change, the whole text of it, and what it rests on. */
export function CardTabs({ agent, card, authors, onInk }: { agent: string; card: Card; authors: Gene | undefined; onInk: boolean }) {
  const { t } = useTranslation("card");
  const [tab, setTab] = useState("change");
  return (
    <Tabs
      label={t("tab.label")}
      value={tab}
      onChange={setTab}
      onInk={onInk}
      tabs={[
        { id: "change", label: t("tab.change"), panel: <TextChanges from={card.was} to={card.change} authors={authors} onInk={onInk} /> },
        { id: "full", label: t("tab.full"), panel: <FullText card={card} authors={authors} onInk={onInk} /> },
        { id: "evidence", label: t("tab.evidence", { n: countOfEvidence(card) }), panel: <Evidence agent={agent} card={card} onInk={onInk} /> },
      ]}
    />
  );
}
