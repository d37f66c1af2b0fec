import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";

import { Reactions } from "../material/Reactions";
import { useReaction } from "../material/useReaction";
import { useWords } from "../material/words";
import { useFormat } from "../ui/useFormat";
import type { Clip, Panel } from "../../services/boards";
import { type Feedback, mineOn } from "../../services/feedback";
import { KeepChip } from "./KeepChip";
import { PanelFrame } from "./PanelFrame";

type Props = {
  agent: string;
  board: string;
  panel: Panel;
  clip: Clip | undefined;
  /** Everything said about the board. */
  feedback: Feedback[];
  kept: boolean;
  /** The reader, if they may react. */
  user?: string;
  /** It is what the address speaks of. */
  current: boolean;
};

/** One numbered panel with what it is cut from and what people think of it. */
export function PanelCard({ agent, board, panel, clip, feedback, kept, user, current }: Props) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => { if (current) place.current?.scrollIntoView({ block: "center" }); }, [current]);
  const { t } = useTranslation("boards");
  return (
    <article
      ref={place}
      aria-label={t("panel.label", { n: panel.number })}
      data-panel={panel.number}
      className={`flex h-full flex-col overflow-hidden rounded-card border bg-surface max-sm:grid max-sm:grid-cols-[7.5rem_minmax(0,1fr)] ${current ? "border-text ring-1 ring-text" : "border-line"}`}
    >
      <PanelFrame key={`${panel.material} ${panel.from}`} panel={panel} clip={clip} className="aspect-[9/13] max-sm:aspect-auto max-sm:min-h-48" />
      <div className="flex flex-1 flex-col gap-1 px-3 pb-2.5 pt-2">
        <p className="flex-1 [overflow-wrap:anywhere]">{panel.caption || <span className="text-muted">{t("panel.no_caption")}</span>}</p>
        <Source agent={agent} panel={panel} clip={clip} />
        {user !== undefined && <Says agent={agent} board={board} panel={panel.number} feedback={feedback} kept={kept} user={user} />}
      </div>
    </article>
  );
}

/** The clip and the stretch of it. */
export function Source({ agent, panel, clip }: { agent: string; panel: Panel; clip: Clip | undefined }) {
  const { t } = useTranslation("boards");
  const words = useWords();
  const format = useFormat();
  if (panel.material === "") return <p className="text-xs text-muted">{t("panel.no_source")}</p>;
  const range = panel.to > panel.from ? t("panel.range", { from: format.decimal(panel.from), to: format.decimal(panel.to) }) : "";
  const name = [words.platform(clip?.platform ?? ""), clip?.title ?? ""].filter((part) => part !== "").join(" · ") || t("panel.source");
  return (
    <p className="flex items-baseline gap-2 text-xs text-muted">
      {clip?.type === "asset" ? (
        <span title={name} className="min-w-0 flex-1 truncate">{name}</span>
      ) : (
        <Link to="/a/$agent/materials" params={{ agent }} search={{ m: panel.material }} title={name} className="min-w-0 flex-1 truncate underline underline-offset-3 hover:text-text pointer-coarse:py-2">{name}</Link>
      )}
      <span className="whitespace-nowrap font-mono">{range}</span>
    </p>
  );
}

function Says({ agent, board, panel, feedback, kept, user }: { agent: string; board: string; panel: number; feedback: Feedback[]; kept: boolean; user: string }) {
  const { t } = useTranslation("boards");
  const mine = mineOn(feedback, user, board, panel);
  const said = feedback.filter((f) => f.panel === panel && f.words !== "" && f.state !== "withdrawn").length;
  const { busy, error, change, undo } = useReaction(agent, { type: "board", id: board, panel }, mine);
  const keep = () => {
    if (mine?.verdict === "like" && mine.state !== "settled") undo();
    else change({ verdict: "like", words: t("keep.label", { n: panel }) });
  };
  return (
    <div className="mt-1 grid gap-1.5">
      <Reactions mine={mine} said={said} busy={busy} error={error} onReact={change} onUndo={undo} />
      <div><KeepChip n={panel} kept={kept} busy={busy} onToggle={keep} /></div>
    </div>
  );
}
