import { useTranslation } from "react-i18next";

import { type Outgoing, willGoOut } from "../../live/outbox";
import { useRoom, useRoomStore } from "../../live/useRoom";
import type { ChatRow } from "../../live/wire";
import { sentenceOf } from "../../problem";
import { Button } from "../ui/Button";
import { CitedList } from "./Cited";
import { ByLine } from "./Person";
import { useSpeaker } from "./speech";
import { TakeBack } from "./TakeBack";

const bubble = "w-fit max-w-full whitespace-pre-wrap rounded-xl rounded-br-sm bg-sunken px-3 py-2 [overflow-wrap:anywhere]";
const side = "group ml-auto flex w-fit max-w-[86%] flex-col items-end";

/** What a person said. */
export function ChatLine({ row }: { row: ChatRow }) {
  const { t } = useTranslation("room");
  const who = useSpeaker()(row.actor);
  const waits = row.body.turn === undefined && row.body.taken_back !== true;
  if (row.body.taken_back === true) {
    return <p className="ml-auto w-fit text-sm text-muted" data-message={row.ref}>{`${who.name} ${t("taken_back")}`}</p>;
  }
  return (
    <article className={side} data-message={row.ref}>
      <ByLine who={who} at={row.time} right />
      {row.body.text !== "" && <p className={bubble}>{row.body.text}</p>}
      <CitedList refs={row.refs} />
      {waits && <Waiting row={row} mine={who.me} />}
    </article>
  );
}

// Only what nobody has begun to answer for a while needs a word.
function Waiting({ row, mine }: { row: ChatRow; mine: boolean }) {
  const { t } = useTranslation("room");
  const listed = useRoom((v) => v.status?.waiting?.includes(row.ref ?? "") === true);
  if (!listed) return null;
  return (
    <p className="mt-0.5 flex items-center gap-2 text-xs text-muted">
      {t("waits")}
      {mine && row.ref !== undefined && <TakeBack message={row.ref} text={row.body.text} />}
    </p>
  );
}

/** A message on its way; it gives way to its row. onPutBack gets what could not be sent back into the box. */
export function OutgoingLine({ outgoing, onPutBack }: { outgoing: Outgoing; onPutBack: (o: Outgoing) => void }) {
  const { t } = useTranslation("room");
  const { t: common } = useTranslation();
  const { sendAgain, discard } = useRoomStore();
  const me = useRoom((v) => v.you);
  const failed = outgoing.state === "failed";
  const live = useRoom((v) => v.connection.state === "live");
  return (
    <article className={side} data-outgoing={outgoing.state}>
      <ByLine who={{ name: me?.name ?? t("role.me"), role: me ? t("role.me") : "", me: true }} at={outgoing.at} right {...(outgoing.state === "sending" ? { note: t("sending") } : {})} />
      {outgoing.text !== "" && <p className={`${bubble} ${failed ? "outline outline-1 outline-bad" : ""}`}>{outgoing.text}</p>}
      <CitedList refs={outgoing.refs} />
      {failed && (
        <div className="mt-1 flex flex-wrap items-center justify-end gap-2 text-sm">
          <span className="text-right text-bad">{willGoOut(outgoing) && !live ? t("unsent_yet") : `${t("unsent")} ${sentenceOf(outgoing.error, common)}`}</span>
          <Button small onClick={() => { sendAgain(outgoing.key); }}>{t("again")}</Button>
          <Button
            small
            look="quiet"
            onClick={() => {
              const back = discard(outgoing.key);
              if (back) onPutBack(back);
            }}
          >
            {t("put_back")}
          </Button>
        </div>
      )}
    </article>
  );
}
