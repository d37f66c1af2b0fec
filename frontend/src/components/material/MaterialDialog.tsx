import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { Skeleton } from "../ui/Skeleton";
import { type Material, type MaterialDetail, materialQuery } from "../../services/materials";
import { AnalysisSections } from "./AnalysisSections";
import { Origin, Post, UsedIn, Why } from "./MaterialFacts";
import { MaterialReactions } from "./MaterialReactions";
import { Player } from "./Player";
import { Said } from "./Said";
import { useWords, webAddress } from "./words";

type Props = {
  agent: string;
  id: string;
  user: string;
  writable: boolean;
  /** The neighbours in the list, if they are loaded. */
  previous: string | undefined;
  next: string | undefined;
  /** It is chosen for a board. */
  chosen: boolean;
  onChoose: (material: Material) => void;
  onOpen: (id: string) => void;
  onClose: () => void;
};

/** One material over the page: player, analysis, what people said, where it is used. */
export function MaterialDialog({ agent, id, user, writable, previous, next, chosen, onChoose, onOpen, onClose }: Props) {
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
          {m && writable && (
            <Button small className="mr-auto" onClick={() => { onChoose(m); }}>
              <Icon name={chosen ? "check" : "plus"} />
              {t(chosen ? "board.chosen" : "board.choose")}
            </Button>
          )}
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
            <Said agent={agent} object={{ type: "material", id: m.id }} user={user} writable={writable} />
            <Why text={m.why} />
            <AnalysisSections material={m} />
            <UsedIn agent={agent} use={m.usedIn} />
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
