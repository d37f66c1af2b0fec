import { useMemo } from "react";
import { useTranslation } from "react-i18next";

import { type Answer, blocksOf } from "../../live/answer";
import { useRoom, useRoomStore } from "../../live/useRoom";
import type { Block, CardState, OrderState, TurnRow } from "../../live/wire";
import { GeneCard } from "../card/GeneCard";
import { OrderCard } from "../card/OrderCard";
import { Icon } from "../ui/Icon";
import { firstToDecide, partsOf } from "./blocks";
import { Markdown } from "./Markdown";
import { ByLine } from "./Person";
import { half, useSpeaker } from "./speech";
import { ToolFailure, ToolLine } from "./ToolLine";

const caps = ["rounds", "tokens", "cost", "time", "stuck"];

const ends = ["stopped", "rounds", "tokens", "cost", "time", "stuck", "model", "source", "input", "worker_lost", "cancelled", "people_came", "internal"] as const;

/** The known end reason, or "internal". */
export const endOf = (reason: string): (typeof ends)[number] => ends.find((e) => e === reason) ?? "internal";

const activities = ["thinking", "preparing", "waiting", "folding"] as const;

type Props = { row: TurnRow; answer?: undefined } | { row?: undefined; answer: Answer };

/**
 * An answer, finished or being written: one component for both, so that nothing
 * jumps and what somebody began on a card in it is still there when it ends.
 */
export function TurnLine(props: Props) {
  const { row, answer } = props;
  const speaker = useSpeaker();
  const cards = useRoom((v) => v.cards);
  const orders = useRoom((v) => v.orders);
  const written = useMemo(() => (answer === undefined ? undefined : blocksOf(answer)), [answer]);
  const turn = answer?.turn ?? row?.ref ?? "";
  return (
    <article className="group min-w-0" data-turn={turn} data-attempt={answer?.attempt} aria-busy={answer === undefined ? undefined : true}>
      <ByLine who={speaker(row?.actor ?? `butler:${turn}`)} at={row?.time ?? timeOf(turn)} />
      <Parts
        blocks={written ?? row?.body.blocks ?? []}
        turn={turn}
        finished={answer === undefined}
        cards={row === undefined ? Object.values(cards) : (row.cards ?? [])}
        orders={row === undefined ? Object.values(orders) : (row.orders ?? [])}
      />
      {answer === undefined ? <Ending body={props.row.body} /> : <Doing answer={answer} />}
    </article>
  );
}

function Ending({ body: { reason, blocks } }: { body: TurnRow["body"] }) {
  const { t } = useTranslation("room");
  // At a cap the answer itself may say so.
  const said = caps.includes(reason) && blocks.at(-1)?.type === "note";
  if (reason === "finished" || said) return null;
  return (
    <p className="mt-1 flex items-center gap-1.5 text-sm text-muted">
      <Icon name={reason === "stopped" || reason === "cancelled" ? "stop" : "alert"} className="size-3.5" />
      {t(`end.${endOf(reason)}`)}
    </p>
  );
}

function Doing({ answer }: { answer: Answer }) {
  const { t } = useTranslation("room");
  const doing = activities.find((a) => a === answer.doing) ?? "writing";
  return (
    <p className="mt-1 flex items-center gap-1.5 text-sm text-muted">
      <span aria-hidden="true" className="size-1.5 animate-pulse rounded-full bg-muted" />
      {t(`doing.${doing}`)}
    </p>
  );
}

const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** When a ULID was made. */
export function timeOf(ulid: string): string {
  let ms = 0;
  for (const c of ulid.slice(0, 10)) ms = ms * 32 + Math.max(0, digits.indexOf(c));
  return new Date(Math.min(ms, 8.64e15)).toISOString();
}

function Parts({ blocks, turn, finished, cards, orders }: { blocks: Block[]; turn: string; finished: boolean; cards: CardState[]; orders: OrderState[] }) {
  const { agent } = useRoomStore();
  const { i18n } = useTranslation("room");
  const people = useRoom((v) => v.names);
  const first = useRoom(firstToDecide);
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1.5">
      {partsOf(blocks).map((part) => {
        switch (part.kind) {
          case "text":
            return <Markdown key={part.key} text={part.text} />;
          case "note":
            return <p key={part.key} className="border-l-2 border-warn pl-2.5 text-sm text-warn">{half(part.text, i18n.language)}</p>;
          case "tools":
            return <ToolLine key={part.key} calls={part.calls} turn={turn} finished={finished} />;
          case "failure":
            return part.calls[0] && <ToolFailure key={part.key} call={part.calls[0]} turn={turn} finished={finished} />;
          case "card": {
            const card = cards.find((c) => c.card === part.ref);
            return card ? <GeneCard key={part.key} agent={agent} card={card} people={people} focused={first === card.card} /> : <CardComing key={part.key} />;
          }
          case "order": {
            const order = orders.find((o) => o.order === part.ref);
            return order ? <OrderCard key={part.key} agent={agent} order={order} people={people} focused={first === order.order} /> : <CardComing key={part.key} />;
          }
        }
      })}
    </div>
  );
}

// The card's own frame follows within a moment.
const CardComing = () => <div className="skeleton h-24 rounded-card" />;
