import { useId, useState } from "react";
import { useTranslation } from "react-i18next";

import { Count } from "../ui/Badge";
import { Button, IconButton } from "../ui/Button";
import { Popover } from "../ui/Menu";
import { Notice } from "../ui/Notice";
import type { Feedback, Verdict } from "../../services/feedback";

/** Characters of a sentence. */
const longest = 2_000;

export type ReactionChange = { verdict: Verdict | null; words: string };

type Props = {
  /** The reader's standing reaction, if any. */
  mine: Feedback | undefined;
  /** How many sentences there are, from everybody. */
  said: number;
  busy: boolean;
  error: unknown;
  onReact: (change: ReactionChange) => void;
  onUndo: () => void;
  align?: "start" | "end";
};

/**
 * 👍 👎 and an optional sentence. A press counts at once and offers the sentence;
 * pressing the chosen one again takes it back.
 */
export function Reactions({ mine, said, busy, error, onReact, onUndo, align = "start" }: Props) {
  const { t } = useTranslation("materials");
  const [open, setOpen] = useState(false);
  const settled = mine?.state === "settled";
  const press = (verdict: Verdict) => {
    if (busy) return;
    if (mine?.verdict === verdict) {
      if (settled) setOpen(true);
      else onUndo();
      return;
    }
    onReact({ verdict, words: "" });
    setOpen(true);
  };
  const chosen = "!border-text !bg-text !text-surface";
  return (
    <div className="flex items-center gap-1">
      <IconButton icon="thumb" look="plain" label={t("react.like")} aria-pressed={mine?.verdict === "like"} aria-disabled={busy} className={mine?.verdict === "like" ? chosen : ""} onClick={() => { press("like"); }} />
      <IconButton
        icon="thumb"
        look="plain"
        label={t("react.dislike")}
        aria-pressed={mine?.verdict === "dislike"}
        aria-disabled={busy}
        className={`[&>svg]:rotate-180 ${mine?.verdict === "dislike" ? chosen : ""}`}
        onClick={() => { press("dislike"); }}
      />
      <Popover
        open={open}
        onOpenChange={setOpen}
        align={align}
        label={t("react.say")}
        trigger={
          <Button small className="min-w-0 flex-1 !px-2 !text-muted">
            {t("react.say")}
            {said > 0 && (
              <>
                <Count n={said} />
                <span className="sr-only">{t("react.count_words", { n: said })}</span>
              </>
            )}
          </Button>
        }
      >
        <Sentence
          mine={mine}
          busy={busy}
          error={error}
          onUndo={() => {
            onUndo();
            setOpen(false);
          }}
          onSend={(words) => {
            onReact({ verdict: mine?.verdict ?? null, words });
            setOpen(false);
          }}
        />
      </Popover>
    </div>
  );
}

function Sentence({ mine, busy, error, onSend, onUndo }: Pick<Props, "mine" | "busy" | "error" | "onUndo"> & { onSend: (words: string) => void }) {
  const { t } = useTranslation("materials");
  const id = useId();
  const [words, setWords] = useState("");
  const long = Array.from(words).length > longest;
  const ready = words.trim() !== "" && !long && !busy;
  const settled = mine?.state === "settled";
  const send = () => {
    if (ready) onSend(words.trim());
  };
  return (
    <form
      className="grid gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {mine && (
        <p className="flex items-center gap-2 text-sm" role="status">
          <span className="font-semibold">{t(mine.verdict === "like" ? "react.liked" : "react.disliked")}</span>
          {settled ? (
            <span className="text-muted">{t("react.settled", { n: mine.settledIn })}</span>
          ) : (
            <button type="button" className="text-muted underline underline-offset-3" disabled={busy} onClick={onUndo}>
              {t("react.undo")}
            </button>
          )}
        </p>
      )}
      {mine && mine.words !== "" && <p className="text-sm text-muted [overflow-wrap:anywhere]">{mine.words}</p>}
      <label htmlFor={id} className="text-sm font-medium">
        {mine ? t("react.sentence") : t("react.only_words")}
      </label>
      {/* One line: Enter sends, and the browser keeps that from an input method. */}
      <input
        id={id}
        aria-describedby={`${id}-note`}
        aria-invalid={long}
        autoComplete="off"
        value={words}
        onChange={(e) => { setWords(e.target.value); }}
        className="min-h-10 w-full rounded-control border border-control-line bg-surface px-2.5 max-sm:text-[16px]"
      />
      <p id={`${id}-note`} className={`text-xs ${long ? "text-bad" : "text-muted"}`}>
        {long ? t("react.too_long", { n: longest }) : t("react.sentence_hint")}
      </p>
      {error !== null && error !== undefined && <Notice error={error} />}
      <Button type="submit" small className="justify-self-end" aria-disabled={!ready}>
        {busy ? t("react.sending") : t("react.send")}
      </Button>
    </form>
  );
}
