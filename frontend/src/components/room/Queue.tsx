import { useMemo } from "react";
import { useTranslation } from "react-i18next";

import { useRoom } from "../../live/useRoom";
import { queueOf } from "./items";
import { useSpeaker } from "./speech";
import { TakeBack } from "./TakeBack";

/** What the next turn will read, above the box. */
export function useQueue() {
  const rows = useRoom((v) => v.rows);
  const outbox = useRoom((v) => v.outbox);
  const status = useRoom((v) => v.status);
  return useMemo(() => queueOf(rows, outbox, status), [rows, outbox, status]);
}

export function Queue({ queue }: { queue: ReturnType<typeof useQueue> }) {
  const { t } = useTranslation("room");
  const speaker = useSpeaker();
  const me = useRoom((v) => v.you);
  if (queue.rows.length + queue.outbox.length === 0) return null;
  return (
    <ul aria-label={t("queue")} className="grid max-h-32 gap-0.5 overflow-y-auto px-4 pt-2 text-sm text-muted">
      {queue.rows.map((row) => {
        const who = speaker(row.actor);
        return (
          <li key={row.seq} className="flex items-baseline gap-2" data-queued={row.ref}>
            <span className="min-w-0 truncate">{`${who.name}: ${row.body.text === "" ? t("cites") : row.body.text}`}</span>
            <span className="ml-auto">{who.me && row.ref !== undefined && <TakeBack message={row.ref} text={row.body.text} />}</span>
          </li>
        );
      })}
      {queue.outbox.map((o) => (
        <li key={o.key} className="flex items-baseline gap-2" data-outgoing={o.state}>
          <span className="min-w-0 truncate">{`${me?.name ?? t("role.me")}: ${o.text === "" ? t("cites") : o.text}`}</span>
          <span className="ml-auto whitespace-nowrap">{o.state === "sending" && t("sending")}</span>
        </li>
      ))}
    </ul>
  );
}
