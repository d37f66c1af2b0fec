import { memo } from "react";
import { useTranslation } from "react-i18next";

import type { Outgoing } from "../../live/outbox";
import { useRoom, useRoomStore } from "../../live/useRoom";
import type { Row, TurnRow } from "../../live/wire";
import { GeneCard } from "../card/GeneCard";
import { OrderCard } from "../card/OrderCard";
import { useFormat } from "../ui/useFormat";
import { ActLine } from "./ActLine";
import { firstToDecide } from "./blocks";
import { ChatLine, OutgoingLine } from "./ChatLine";
import type { Item } from "./items";
import { ByLine } from "./Person";
import { RecordLine } from "./RecordLine";
import { useSpeaker } from "./speech";
import { TurnLine } from "./TurnLine";

type Props = { item: Item; onPutBack: (o: Outgoing) => void };

/** One line of the log. */
export const ItemLine = memo(function ItemLine({ item, onPutBack }: Props) {
  const { t } = useTranslation("room");
  switch (item.kind) {
    case "beginning":
      return <p className="text-center text-xs text-muted">{t("beginning")}</p>;
    case "day":
      return <DayLine at={item.at} />;
    case "fresh":
      return (
        <p className="flex items-center gap-3 text-xs text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">{t("fresh")}</p>
      );
    case "row":
      // Not by way of RowLine: an answer that ends must stay the same component.
      return item.row.type === "turn" ? <TurnLine row={item.row} /> : <RowLine row={item.row} />;
    case "answer":
      return <TurnLine answer={item.answer} />;
    case "outgoing":
      return <OutgoingLine outgoing={item.outgoing} onPutBack={onPutBack} />;
  }
});

function DayLine({ at }: { at: string }) {
  const format = useFormat();
  return <p className="text-center text-xs text-muted">{format.day(at)}</p>;
}

function RowLine({ row }: { row: Exclude<Row, TurnRow> }) {
  switch (row.type) {
    case "chat":
      return <ChatLine row={row} />;
    case "card":
    case "order":
      return <CardLine row={row} />;
    case "run_asked":
    case "run_finished":
      return <RecordLine row={row} />;
    default:
      return <ActLine row={row} />;
  }
}

/** A card outside an answer: the digest's, or one that a person made. */
function CardLine({ row }: { row: Row }) {
  const { agent } = useRoomStore();
  const who = useSpeaker()(row.actor);
  const people = useRoom((v) => v.names);
  const first = useRoom(firstToDecide);
  return (
    <article className="group min-w-0" data-row={row.type}>
      <ByLine who={who} at={row.time} right={row.side === "right"} />
      {row.cards?.map((card) => <GeneCard key={card.card} agent={agent} card={card} people={people} focused={first === card.card} />)}
      {row.orders?.map((order) => <OrderCard key={order.order} agent={agent} order={order} people={people} focused={first === order.order} />)}
    </article>
  );
}
