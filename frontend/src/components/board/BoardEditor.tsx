import { useState } from "react";
import { useTranslation } from "react-i18next";

import { Button, IconButton } from "../ui/Button";
import { Field } from "../ui/Field";
import { Notice } from "../ui/Notice";
import { useFormat } from "../ui/useFormat";
import { type BoardText, type Clips, lengthOf, sameText } from "../../services/boards";
import { type BoardDraft, captionPanel, draftOf, type DraftPanel, movePanel, shortest, textOf, timePanel, type Trouble, troubles } from "./draft";

type Props = {
  text: BoardText;
  clips: Clips;
  /** The most that a film may last, 0: no limit. */
  maxSeconds: number;
  busy: boolean;
  error: unknown;
  /** was: what the person began with. */
  onSave: (text: BoardText, was: BoardText) => void;
  onCancel: () => void;
};

/** A board by hand: its captions, how long each panel lasts, and their order. */
export function BoardEditor({ text: now, clips, maxSeconds, busy, error, onSave, onCancel }: Props) {
  const { t } = useTranslation("boards");
  const format = useFormat();
  const [text] = useState(now);
  const [draft, setDraft] = useState<BoardDraft>(() => draftOf(text));
  const [said, setSaid] = useState("");
  const wrong = troubles(draft, clips, maxSeconds);
  const total = lengthOf(draft.panels);
  const changed = !sameText(textOf(draft), text);
  // Somebody else was first; nothing is written over.
  const moved = !busy && !sameText(now, text);
  const ready = changed && wrong.length === 0 && !busy && !moved;
  const whole = wrong.find((w) => w.kind === "total");
  const move = (at: number, by: number) => {
    if (at + by < 0 || at + by >= draft.panels.length) return;
    setDraft(movePanel(draft, at, by));
    setSaid(t("edit.moved", { n: at + 1, to: at + by + 1 }));
  };
  return (
    <form
      aria-label={t("edit.label")}
      className="grid gap-4"
      onSubmit={(e) => {
        e.preventDefault();
        if (ready) onSave(textOf(draft), text);
      }}
    >
      <Field label={t("edit.title")} value={draft.title} maxLength={500} onChange={(e) => { setDraft({ ...draft, title: e.target.value }); }} {...(wrong.some((w) => w.kind === "title") ? { error: t("edit.title_missing") } : {})} />
      <ol className="grid gap-2">
        {draft.panels.map((panel, at) => (
          <PanelRow
            key={panel.key}
            panel={panel}
            place={at}
            last={at === draft.panels.length - 1}
            poster={clips[panel.material]?.poster ?? null}
            wrong={wrong.filter((w) => w.at === at)}
            onCaption={(caption) => { setDraft(captionPanel(draft, at, caption)); }}
            onSeconds={(seconds) => { setDraft(timePanel(draft, at, seconds)); }}
            onMove={(by) => { move(at, by); }}
          />
        ))}
      </ol>
      <p role="status" className="sr-only">{said}</p>
      {moved ? <p role="alert" className="rounded-control bg-warn-ground px-3 py-2 text-warn">{t("edit.moved_on")}</p> : error !== null && error !== undefined && <Notice error={error} />}
      <div className="sticky bottom-0 flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line bg-canvas py-3">
        <p className={`min-w-0 flex-1 basis-40 tabular-nums ${whole ? "text-bad" : "text-muted"}`}>
          {whole ? t("edit.too_long", { n: format.seconds(total), most: maxSeconds }) : maxSeconds > 0 ? t("edit.total_of", { n: format.seconds(total), most: maxSeconds }) : t("edit.total", { n: format.seconds(total) })}
        </p>
        <Button onClick={onCancel}>{t("edit.cancel")}</Button>
        <Button type="submit" look="primary" aria-disabled={!ready}>{busy ? t("edit.saving") : t("edit.save")}</Button>
      </div>
    </form>
  );
}

type RowProps = {
  panel: DraftPanel;
  place: number;
  last: boolean;
  poster: string | null;
  wrong: Trouble[];
  onCaption: (caption: string) => void;
  onSeconds: (seconds: number) => void;
  onMove: (by: number) => void;
};

function PanelRow({ panel, place, last, poster, wrong, onCaption, onSeconds, onMove }: RowProps) {
  const { t } = useTranslation("boards");
  const n = place + 1;
  const [first] = wrong;
  const box = "rounded-control border bg-surface px-2.5 max-sm:text-[16px]";
  return (
    <li className="flex items-start gap-3 rounded-card border border-line bg-surface p-2.5">
      <span className="relative block h-20 w-14 shrink-0 overflow-hidden rounded bg-sunken">
        {poster && <img src={poster} alt="" className="size-full object-cover" />}
        <span aria-hidden="true" className="absolute left-1 top-1 grid size-5 place-content-center rounded-full bg-black/65 font-mono text-[11px] font-semibold text-white">{n}</span>
      </span>
      <div className="grid min-w-0 flex-1 gap-1.5">
        <textarea
          aria-label={t("edit.caption", { n })}
          value={panel.caption}
          rows={2}
          className={`${box} w-full resize-y py-1.5 ${first?.kind === "caption" ? "border-bad" : "border-control-line"}`}
          onChange={(e) => { onCaption(e.target.value); }}
          onKeyDown={(e) => {
            // Alt and an arrow move the panel, as in a list of lines.
            if (!e.altKey || (e.key !== "ArrowUp" && e.key !== "ArrowDown")) return;
            e.preventDefault();
            onMove(e.key === "ArrowUp" ? -1 : 1);
          }}
        />
        <div className="flex flex-wrap items-center gap-2 text-sm">
          <label className="flex items-center gap-1.5 text-muted">
            <input
              type="number"
              aria-label={t("edit.seconds", { n })}
              aria-invalid={first !== undefined && first.kind !== "caption"}
              min={shortest}
              step={0.1}
              value={Number.isNaN(panel.seconds) ? "" : panel.seconds}
              className={`${box} min-h-8 w-20 text-text tabular-nums pointer-coarse:min-h-10 ${first && first.kind !== "caption" ? "border-bad" : "border-control-line"}`}
              onChange={(e) => { onSeconds(e.target.valueAsNumber); }}
            />
            {t("edit.seconds_unit")}
          </label>
          {first && <span className="text-bad">{t(`edit.wrong.${first.kind === "clip" ? "clip" : first.kind === "caption" ? "caption" : "seconds"}`, { n: first.most })}</span>}
        </div>
      </div>
      <span className="grid shrink-0 gap-1">
        <IconButton icon="arrowUp" label={t("edit.up", { n })} hint="Alt ↑" disabled={place === 0} onClick={() => { onMove(-1); }} />
        <IconButton icon="arrowDown" label={t("edit.down", { n })} hint="Alt ↓" disabled={last} onClick={() => { onMove(1); }} />
      </span>
    </li>
  );
}
