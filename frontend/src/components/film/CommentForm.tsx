import { useId, useState } from "react";
import { useTranslation } from "react-i18next";

import { Button, IconButton } from "../ui/Button";
import { Notice } from "../ui/Notice";
import type { Range, Verdict } from "../../services/feedback";
import { withEnd } from "./range";

export type Comment = { range: Range | null; verdict: Verdict | null; words: string };

type Props = {
  length: number;
  /** The second that plays. */
  at: number;
  range: Range | null;
  busy: boolean;
  error: unknown;
  onRange: (range: Range | null) => void;
  /** Done with it once it is recorded. */
  onSend: (comment: Comment, done: () => void) => void;
};

const longest = 2_000;

/** A comment on a stretch of the film, or on the whole of it. */
export function CommentForm({ length, at, range, busy, error, onRange, onSend }: Props) {
  const { t } = useTranslation("films");
  const id = useId();
  const [words, setWords] = useState("");
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const long = Array.from(words).length > longest;
  const ready = words.trim() !== "" && !long && !busy;
  const send = () => {
    if (!ready) return;
    onSend({ range, verdict, words: words.trim() }, () => {
      setWords("");
      setVerdict(null);
    });
  };
  const toggle = (v: Verdict) => { setVerdict(verdict === v ? null : v); };
  const chosen = "!border-text !bg-text !text-surface";
  const box = "min-h-8 w-20 rounded-control border border-control-line bg-surface px-2 text-text tabular-nums pointer-coarse:min-h-10 max-sm:text-[16px]";
  return (
    <form
      aria-label={t("comment.label")}
      className="grid gap-2 rounded-card border border-line bg-surface p-3"
      onSubmit={(e) => {
        e.preventDefault();
        send();
      }}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm">
        {(["from", "to"] as const).map((end) => (
          <span key={end} className="flex items-center gap-1.5">
            <label htmlFor={`${id}-${end}`} className="text-muted">{t(`comment.${end}`)}</label>
            <input
              id={`${id}-${end}`}
              type="number"
              min={0}
              max={length}
              step={0.1}
              value={range?.[end] ?? ""}
              placeholder="–"
              className={box}
              onChange={(e) => { onRange(e.target.value === "" ? null : withEnd(range, end, e.target.valueAsNumber, length)); }}
            />
            <button type="button" className="min-h-6 text-muted underline underline-offset-3 hover:text-text pointer-coarse:min-h-10" onClick={() => { onRange(withEnd(range, end, at, length)); }}>
              {t(`comment.${end}_now`)}
            </button>
          </span>
        ))}
        {range ? (
          <button type="button" className="min-h-6 text-muted underline underline-offset-3 hover:text-text pointer-coarse:min-h-10" onClick={() => { onRange(null); }}>{t("comment.whole")}</button>
        ) : (
          <span className="text-muted">{t("comment.draw")}</span>
        )}
      </div>
      <div className="flex items-start gap-2">
        {/* One line: Enter sends, and the browser keeps that from an input method. */}
        <input
          aria-label={range ? t("comment.on_range") : t("comment.on_whole")}
          aria-invalid={long}
          autoComplete="off"
          placeholder={range ? t("comment.on_range") : t("comment.on_whole")}
          value={words}
          onChange={(e) => { setWords(e.target.value); }}
          className="min-h-10 w-full min-w-0 flex-1 rounded-control border border-control-line bg-surface px-2.5 placeholder:text-muted max-sm:text-[16px]"
        />
        <IconButton icon="thumb" look="plain" label={t("comment.like")} aria-pressed={verdict === "like"} className={`!size-10 ${verdict === "like" ? chosen : ""}`} onClick={() => { toggle("like"); }} />
        <IconButton icon="thumb" look="plain" label={t("comment.dislike")} aria-pressed={verdict === "dislike"} className={`!size-10 [&>svg]:rotate-180 ${verdict === "dislike" ? chosen : ""}`} onClick={() => { toggle("dislike"); }} />
        <Button type="submit" aria-disabled={!ready}>{busy ? t("comment.sending") : t("comment.send")}</Button>
      </div>
      {long && <p className="text-sm text-bad">{t("comment.too_long", { n: longest })}</p>}
      {error !== null && error !== undefined && <Notice error={error} />}
    </form>
  );
}
