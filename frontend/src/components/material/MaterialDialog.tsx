import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Notice } from "../ui/Notice";
import { Skeleton } from "../ui/Skeleton";
import { ulid } from "../../services/api";
import { feedbackKey, objectFeedbackQuery, withdraw } from "../../services/feedback";
import { type MaterialDetail, materialQuery } from "../../services/materials";
import { AnalysisSections } from "./AnalysisSections";
import { FeedbackList } from "./FeedbackList";
import { Origin, Post, UsedIn, Why } from "./MaterialFacts";
import { MaterialReactions } from "./MaterialReactions";
import { Part } from "./Part";
import { Player } from "./Player";
import { useWords, webAddress } from "./words";

type Props = {
  agent: string;
  id: string;
  user: string;
  writable: boolean;
  /** The neighbours in the list, if they are loaded. */
  previous: string | undefined;
  next: string | undefined;
  onOpen: (id: string) => void;
  onClose: () => void;
};

/** One material over the page: player, analysis, what people said, where it is used. */
export function MaterialDialog({ agent, id, user, writable, previous, next, onOpen, onClose }: Props) {
  const { t } = useTranslation("materials");
  const words = useWords();
  const detail = useQuery(materialQuery(agent, id));
  const m = detail.data;
  const step = (to: string | undefined, label: string) => (
    <Button small disabled={to === undefined} onClick={() => { if (to !== undefined) onOpen(to); }}>{label}</Button>
  );
  return (
    <Dialog
      open
      onClose={onClose}
      width="full"
      title={m ? <span lang="">{words.title(m)}</span> : detail.error ? t("detail.gone") : t("title")}
      footer={
        <>
          {step(previous, t("detail.previous"))}
          {step(next, t("detail.next"))}
        </>
      }
    >
      {detail.error && <Notice error={detail.error} onRetry={() => { void detail.refetch(); }} kept={m !== undefined} />}
      {detail.isPending && <Skeleton rows={3} height={140} />}
      {m && (
        <div className="grid gap-6 md:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
          <div className="md:sticky md:top-0 md:self-start">
            <Picture material={m} />
          </div>
          <div className="grid content-start gap-4">
            <Post material={m} />
            {writable && (
              <div className="max-w-64">
                <MaterialReactions agent={agent} material={m} user={user} />
              </div>
            )}
            <Said agent={agent} id={m.id} user={user} writable={writable} />
            <Why text={m.why} />
            <AnalysisSections material={m} />
            <UsedIn use={m.usedIn} />
            <Origin agent={agent} material={m} />
          </div>
        </div>
      )}
    </Dialog>
  );
}

function Picture({ material: m }: { material: MaterialDetail }) {
  const { t } = useTranslation("materials");
  const words = useWords();
  const { video } = m.media;
  if (video !== null) return <Player key={m.id} media={{ ...m.media, video }} cuts={m.cuts} title={words.title(m)} />;
  return (
    <div className="grid min-h-56 place-content-center gap-1 rounded-card border border-dashed border-line-strong px-6 text-center">
      <p className="font-semibold">{t("player.none")}</p>
      <p className="text-muted">{webAddress(m.url) === null ? t("player.none_why_no_link") : t("player.none_why")}</p>
    </div>
  );
}

function Said({ agent, id, user, writable }: { agent: string; id: string; user: string; writable: boolean }) {
  const { t } = useTranslation("materials");
  const queries = useQueryClient();
  const said = useQuery(objectFeedbackQuery(agent, { type: "material", id }));
  const undo = useMutation({
    mutationFn: ({ feedback, key }: { feedback: string; key: string }) => withdraw(queries, agent, feedback, key),
    onSettled: () => queries.invalidateQueries({ queryKey: feedbackKey(agent) }),
  });
  return (
    <Part title={t("detail.feedback")}>
      {said.error && <Notice error={said.error} onRetry={() => { void said.refetch(); }} kept={said.data !== undefined} />}
      {undo.error && <Notice error={undo.error} />}
      {said.isPending && <Skeleton rows={1} height={40} />}
      {said.data && (
        <FeedbackList items={said.data} user={user} busy={undo.isPending} onWithdraw={writable ? (f) => { undo.mutate({ feedback: f.id, key: ulid() }); } : undefined} />
      )}
    </Part>
  );
}
