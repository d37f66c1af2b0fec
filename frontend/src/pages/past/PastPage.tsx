import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { type ReactElement, useEffect, useMemo } from "react";
import { useTranslation } from "react-i18next";

import { PastContext } from "../../components/card/past";
import { itemsOf } from "../../components/room/items";
import { ItemLine } from "../../components/room/RowLine";
import { Button } from "../../components/ui/Button";
import { Empty } from "../../components/ui/Empty";
import { Icon } from "../../components/ui/Icon";
import { Notice } from "../../components/ui/Notice";
import { Skeleton } from "../../components/ui/Skeleton";
import { useFormat } from "../../components/ui/useFormat";
import { openPast } from "../../live/RoomProvider";
import { RoomContext, useRoom, useRoomStore } from "../../live/useRoom";
import { versionsQuery } from "../../services/genes";

/** /a/$agent/past?at=V5: the room as it was, to be read and nothing else. */
export function PastPage(): ReactElement {
  const { agent } = useParams({ from: "/signed/a/$agent/past" });
  const { at = "V1" } = useSearch({ from: "/signed/a/$agent/past" });
  return <Past key={`${agent} ${at}`} agent={agent} at={at} />;
}

function Past({ agent, at }: { agent: string; at: string }) {
  const store = useMemo(() => openPast(agent, at), [agent, at]);
  useEffect(() => store.look(), [store]);
  return (
    <RoomContext value={store}>
      <PastContext value>
        <Banner agent={agent} at={at} />
        <Rows />
      </PastContext>
    </RoomContext>
  );
}

/** What this is, so that nobody takes it for the present, and the way back. */
function Banner({ agent, at }: { agent: string; at: string }) {
  const { t } = useTranslation("room");
  const format = useFormat();
  const list = useQuery(versionsQuery(agent)).data?.list ?? [];
  const number = /^[Vv](\d+)$/.exec(at)?.[1];
  const version = list.find((v) => String(v.version) === number);
  const moment = number !== undefined ? `V${number}` : /^\d+$/.test(at) ? t("past.event", { seq: format.number(Number(at)) }) : Number.isNaN(Date.parse(at)) ? at : format.dateTime(at);
  return (
    <div className="sticky top-0 z-10 flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-warn/40 bg-warn-ground px-4 py-2 text-warn">
      <Icon name="history" className="max-sm:hidden" />
      <div className="min-w-0 flex-1 basis-52">
        <h1 className="font-semibold">{t("past.title", { moment })}</h1>
        <p className="text-sm">
          {version && `${format.dateTime(version.at)} · `}
          {t("past.why")}
        </p>
      </div>
      <Link to="/a/$agent/gene" params={{ agent }} className="inline-flex min-h-8 items-center rounded-control border border-warn/40 bg-surface px-3 text-sm text-text hover:bg-sunken pointer-coarse:min-h-10">
        {t("past.back")}
      </Link>
    </div>
  );
}

function Rows() {
  const { t } = useTranslation("room");
  const { loadOlder, retry } = useRoomStore();
  const rows = useRoom((v) => v.rows);
  const more = useRoom((v) => v.more);
  const seq = useRoom((v) => v.seq);
  const failed = useRoom((v) => v.failed);
  const loading = useRoom((v) => v.loadingOlder);
  const items = useMemo(() => itemsOf({ rows, more, status: null, answer: null, outbox: [] }, 0, ""), [rows, more]);
  const column = "mx-auto grid w-full max-w-2xl grid-cols-[minmax(0,1fr)] gap-3 px-4 py-5";
  if (failed !== null) return <div className={column}><Notice error={failed} onRetry={retry} /></div>;
  if (seq < 0) return <div className={column}><Skeleton rows={6} height={56} /></div>;
  if (rows.length === 0) return <div className={column}><Empty title={t("past.empty")} next={t("past.empty_next")} /></div>;
  return (
    <div className={column}>
      {more && (
        <div className="flex justify-center">
          <Button small look="quiet" aria-disabled={loading} onClick={() => void loadOlder()}>{loading ? t("older") : t("past.older")}</Button>
        </div>
      )}
      {items.map((item) => <ItemLine key={item.key} item={item} onPutBack={nothing} />)}
      <p className="pt-2 text-center text-xs text-muted">{t("past.end")}</p>
    </div>
  );
}

// Nothing is on its way in the past.
const nothing = () => undefined;
