import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import { useRoomFrames } from "../../live/useRoom";
import { cardQuery, type CardState, refreshCards } from "../../services/cards";
import { geneQuery, type People } from "../../services/genes";
import { IconButton } from "../ui/Button";
import { Sheet } from "../ui/Dialog";
import { Notice } from "../ui/Notice";
import { usePhone } from "../ui/usePhone";
import { ClosedCard } from "./ClosedCard";
import { InkButton } from "./InkButton";
import { Lost } from "./Lost";
import { usePast } from "./past";
import { PastCard } from "./PastCard";
import { CardTitle, type Doing, PendingCard } from "./PendingCard";
import { statusOf } from "./status";
import { useCardCommands } from "./useCardCommands";
import { useCardKeys } from "./useCardKeys";
import { useMayWrite } from "./useMayWrite";

type Props = {
  agent: string;
  /** The card as the room's row has it. */
  card: CardState;
  /** Names that the room knows. */
  people?: People;
  /** The keys A, E and D mean this card unless another one has the focus. */
  focused?: boolean;
  /** It was opened by itself: it takes the focus, and shows all it said when it is closed. */
  open?: boolean;
};

/** A gene card in the room or on the gene page. On a phone it opens from below. */
export function GeneCard(props: Props) {
  return usePast() ? <PastCard {...props} /> : <PresentCard {...props} />;
}

function PresentCard({ agent, card: row, people, focused = false, open = false }: Props) {
  const { t } = useTranslation("card");
  const queries = useQueryClient();
  const phone = usePhone();
  const mayWrite = useMayWrite(agent);
  const card = useQuery(cardQuery(agent, row.card, row.state));
  const authors = useQuery(geneQuery(agent, row.base_version)).data;
  const commands = useCardCommands(agent, row.card);
  const [doing, setDoing] = useState<Doing>("asking");
  const [sheet, setSheet] = useState(false);
  const place = useRef<HTMLElement>(null);
  useRoomFrames("gene.card.resolved", (frame) => {
    if (frame.card.card === row.card) void refreshCards(queries, agent);
  });
  const status = statusOf(row, card.data);
  const pending = status.state === "pending";
  const busy = commands.applying || commands.rejecting;
  const failed = card.error && !card.data ? <Notice error={card.error} onRetry={() => void card.refetch()} /> : null;
  const shared = { agent, row, status, card: card.data, failed, authors, people: { ...authors?.people, ...people, ...card.data?.people }, mayWrite };

  useEffect(() => {
    if (open) place.current?.focus({ preventScroll: true });
  }, [open]);
  // The button that was pressed is gone; whoever pressed it goes on from the card.
  const acted = busy || commands.winner !== null;
  useEffect(() => {
    if (!pending && acted && (document.activeElement === null || document.activeElement === document.body)) place.current?.focus({ preventScroll: true });
  }, [pending, acted]);
  const act = (what: () => void) => () => {
    if (!pending || !mayWrite || busy || doing !== "asking") return;
    what();
  };
  useCardKeys(place, focused, {
    a: act(() => { commands.apply({ parts: [], edit: {} }); }),
    e: act(() => {
      setDoing("editing");
      setSheet(true);
    }),
    d: act(() => {
      setDoing("rejecting");
      setSheet(true);
    }),
  });

  const body = (
    <>
      {commands.winner && <div className="mb-2"><Lost winner={commands.winner} /></div>}
      {pending ? <PendingCard {...shared} commands={commands} doing={doing} onDoing={setDoing} /> : <ClosedCard {...shared} open={open} />}
    </>
  );
  const look = pending ? "bg-ink text-on-ink shadow-card" : "border border-line bg-surface";
  const frame = { ref: place, tabIndex: -1, "data-card": row.card, ...(focused ? { "data-keys": "" } : {}), "aria-label": `${t("title")}: ${row.summary}` };
  if (!phone || open || !pending) {
    return <article {...frame} className={`group/card rounded-card px-4 py-3.5 ${look}`}>{body}</article>;
  }
  return (
    <article {...frame} className={`group/card rounded-card px-4 py-3.5 ${look}`}>
      <CardTitle base={status.base} next={status.base + 1} />
      <p className="mt-1 mb-3 [overflow-wrap:anywhere]">{row.summary}</p>
      <InkButton primary onClick={() => { setSheet(true); }}>{busy ? t("apply.busy") : t("look")}</InkButton>
      <Sheet bare open={sheet} title={`${t("title")}: ${row.summary}`} onClose={() => { setSheet(false); }}>
        <div data-card={row.card} className="relative min-h-full bg-ink px-4 py-4 pb-[max(1rem,env(safe-area-inset-bottom))] text-on-ink">
          <IconButton label={t("close")} icon="close" className="absolute right-2 top-2 text-on-ink! hover:bg-ink-raised!" onClick={() => { setSheet(false); }} />
          {body}
        </div>
      </Sheet>
    </article>
  );
}
