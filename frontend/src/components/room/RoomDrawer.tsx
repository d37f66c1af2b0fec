import { useQuery } from "@tanstack/react-query";
import { useContext, useState } from "react";
import { useTranslation } from "react-i18next";

import type { Outgoing } from "../../live/outbox";
import { RoomProvider } from "../../live/RoomProvider";
import { RoomContext, useRoom, useRoomStore } from "../../live/useRoom";
import { agentQuery } from "../../services/agents";
import { useMayWrite } from "../card/useMayWrite";
import { Empty } from "../ui/Empty";
import { Notice } from "../ui/Notice";
import { Skeleton } from "../ui/Skeleton";
import { Composer } from "./Composer";
import { Header, Typing } from "./Header";
import { Log } from "./Log";
import { LostPanel } from "./LostPanel";
import { StatusLine } from "./StatusLine";
import { useDraft } from "./useDraft";

/** The room of an agent: everybody's words, the butler's answers and the cards. It fills its parent. */
export function RoomDrawer({ agent }: { agent: string }) {
  const store = useContext(RoomContext);
  if (store?.agent === agent) return <Room key={agent} agent={agent} />;
  return (
    <RoomProvider agent={agent}>
      <Room key={agent} agent={agent} />
    </RoomProvider>
  );
}

function Room({ agent }: { agent: string }) {
  const { t } = useTranslation("room");
  const [draft, setDraft] = useDraft(agent);
  const mayWrite = useMayWrite(agent);
  const archived = useQuery(agentQuery(agent)).data?.archived === true;
  const putBack = (o: Outgoing) => {
    setDraft({
      text: [draft.text, o.text].filter((s) => s !== "").join("\n"),
      cites: [...draft.cites, ...o.refs.map((ref) => ({ ref, title: "" }))],
    });
  };
  return (
    <section aria-label={t("title")} className="flex h-full min-h-0 flex-col bg-surface" data-testid="room">
      <Header />
      <Body onPutBack={putBack} />
      <LostPanel />
      <Typing />
      <StatusLine />
      {archived || !mayWrite ? (
        <p className="border-t border-line px-4 py-3 text-sm text-muted">{archived ? t("compose.archived") : t("compose.viewer")}</p>
      ) : (
        <Composer draft={draft} onDraft={setDraft} />
      )}
    </section>
  );
}

function Body({ onPutBack }: { onPutBack: (o: Outgoing) => void }) {
  const { t } = useTranslation("room");
  const { agent, retry } = useRoomStore();
  const started = useRoom((v) => v.seq >= 0);
  const failed = useRoom((v) => v.failed);
  const empty = useRoom((v) => v.rows.length === 0 && v.answer === null && v.outbox.length === 0 && !v.more);
  const mark = useQuery(agentQuery(agent)).data?.read;
  // Where the new rows begin is where they began when the room was opened.
  const [freshAfter, setFreshAfter] = useState<number | null>(null);
  if (freshAfter === null && mark !== undefined) setFreshAfter(mark.unread > 0 ? mark.seq : 0);
  if (failed !== null) {
    return <div className="min-h-0 flex-1 p-4"><Notice error={failed} onRetry={retry} /></div>;
  }
  if (!started) {
    return <div className="min-h-0 flex-1 overflow-hidden p-4"><Skeleton rows={6} height={56} /></div>;
  }
  if (empty) {
    return <div className="min-h-0 flex-1 overflow-y-auto p-4"><Empty title={t("empty")} next={t("empty_next")} /></div>;
  }
  return <Log freshAfter={freshAfter ?? 0} onPutBack={onPutBack} />;
}
