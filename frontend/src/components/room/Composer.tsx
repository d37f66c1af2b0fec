import { type CompositionEvent, type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import { useRoom, useRoomStore } from "../../live/useRoom";
import type { Citable } from "../../services/room";
import { IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { useObjectWord } from "./Cited";
import { CitePicker, optionId, useCitables } from "./CitePicker";
import { isComposing, sends } from "./ime";
import { mentionAt } from "./mention";
import { Queue, useQueue } from "./Queue";
import { StopButton } from "./StopButton";
import { type Draft, noDraft } from "./useDraft";

const mostLetters = 8_000;
const mostCites = 20;
/** A sign of typing lives six seconds with the others. */
const typingEvery = 3_000;

/** The box: Enter sends, Shift+Enter breaks the line, @ cites. While the butler answers, what is sent joins the next turn. */
export function Composer({ draft, onDraft }: { draft: Draft; onDraft: (draft: Draft) => void }) {
  const { t } = useTranslation("room");
  const { send, typing } = useRoomStore();
  const busy = useRoom((v) => v.status?.state === "answering" || v.status?.state === "stopping");
  const queue = useQueue();
  const id = useId();
  const box = useRef<HTMLTextAreaElement>(null);
  const typed = useRef(0);
  const [mention, setMention] = useState<ReturnType<typeof mentionAt>>(null);
  const [at, setAt] = useState(0);
  const found = useCitables(mention?.words ?? null);
  const letters = Array.from(draft.text).length;
  const sendable = (draft.text.trim() !== "" || draft.cites.length > 0) && letters <= mostLetters;

  useLayoutEffect(() => {
    const area = box.current;
    if (!area) return;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight + 2}px`;
  }, [draft.text]);
  useEffect(() => () => { typing(false); }, [typing]);

  const told = (on: boolean) => {
    const now = Date.now();
    if (on && now - typed.current < typingEvery) return;
    if (!on && typed.current === 0) return;
    typed.current = on ? now : 0;
    typing(on);
  };
  const write = (text: string, caret: number, composing: boolean) => {
    onDraft({ ...draft, text });
    told(text !== "");
    // While a candidate is being chosen the words are not words yet.
    if (!composing) look(text, caret);
  };
  const look = (text: string, caret: number) => {
    setMention(mentionAt(text, caret));
    setAt(0);
  };
  const submit = () => {
    if (!sendable) return;
    send(draft.text, draft.cites.map((c) => c.ref));
    onDraft(noDraft);
    setMention(null);
    told(false);
    box.current?.focus();
  };
  const pick = (c: Citable) => {
    const from = mention?.from ?? draft.text.length;
    const caret = box.current?.selectionStart ?? draft.text.length;
    const known = draft.cites.some((one) => one.ref.id === c.ref.id);
    const cites = known || draft.cites.length >= mostCites ? draft.cites : [...draft.cites, { ref: c.ref, title: c.title }];
    onDraft({ text: draft.text.slice(0, from) + draft.text.slice(mention ? caret : from), cites });
    setMention(null);
    box.current?.focus();
  };
  const key = (e: KeyboardEvent<HTMLTextAreaElement>) => {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only sign of an input method that some browsers give
    const native = { key: e.key, shiftKey: e.shiftKey, altKey: e.altKey, ctrlKey: e.ctrlKey, metaKey: e.metaKey, keyCode: e.keyCode, isComposing: e.nativeEvent.isComposing };
    if (mention !== null && !isComposing(native)) {
      const count = found.list.length;
      const chosen = found.list[at];
      if (e.key === "Escape") setMention(null);
      else if (e.key === "ArrowDown" && count > 0) setAt((at + 1) % count);
      else if (e.key === "ArrowUp" && count > 0) setAt((at + count - 1) % count);
      else if ((e.key === "Enter" || e.key === "Tab") && chosen && !e.shiftKey) pick(chosen);
      else if (sends(native)) submit();
      else return;
      e.preventDefault();
      return;
    }
    if (sends(native)) {
      e.preventDefault();
      submit();
    }
  };
  const cite = () => {
    const area = box.current;
    if (!area) return;
    const caret = area.selectionStart;
    const before = draft.text.slice(0, caret);
    const text = `${before}${/[A-Za-z0-9._]$/.test(before) ? " " : ""}@`;
    onDraft({ ...draft, text: text + draft.text.slice(caret) });
    look(text, text.length);
    area.focus();
    requestAnimationFrame(() => { area.setSelectionRange(text.length, text.length); });
  };

  const waiting = queue.rows.length + queue.outbox.length;
  const place = !busy ? t("compose.place") : waiting > 0 ? t("compose.join_many", { n: waiting }) : t("compose.join");
  return (
    <div className="border-t border-line pb-[env(safe-area-inset-bottom)]">
      {mention !== null && <CitePicker id={`${id}-list`} words={mention.words} found={found} at={at} onPick={pick} />}
      <Queue queue={queue} />
      <form
        className="flex items-end gap-2 px-4 pb-3.5 pt-2.5"
        onSubmit={(e) => {
          e.preventDefault();
          submit();
        }}
      >
        <div className="min-w-0 flex-1 rounded-[10px] border border-control-line bg-surface focus-within:outline focus-within:outline-2 focus-within:outline-focus">
          <Cites draft={draft} onDraft={onDraft} />
          <div className="flex items-end">
            <textarea
              ref={box}
              id={id}
              rows={1}
              value={draft.text}
              aria-label={t("compose.label")}
              aria-describedby={`${id}-hint`}
              aria-autocomplete="list"
              {...(mention !== null && found.list.length > 0 ? { "aria-controls": `${id}-list`, "aria-activedescendant": optionId(`${id}-list`, at) } : {})}
              aria-invalid={letters > mostLetters}
              placeholder={place}
              className="block max-h-48 min-h-10 w-full resize-none bg-transparent py-2 pl-3 text-base leading-6 outline-none placeholder:text-muted max-[430px]:text-[16px]"
              onChange={(e) => { write(e.target.value, e.target.selectionStart, e.nativeEvent instanceof InputEvent && e.nativeEvent.isComposing); }}
              onCompositionEnd={(e: CompositionEvent<HTMLTextAreaElement>) => { look(e.currentTarget.value, e.currentTarget.selectionStart); }}
              onKeyDown={key}
              onBlur={() => { told(false); }}
            />
            <button type="button" aria-label={t("compose.cite")} title={t("compose.cite")} onClick={cite} className="grid size-10 shrink-0 place-items-center rounded-control font-mono text-muted hover:text-text">
              <span aria-hidden="true">@</span>
            </button>
          </div>
        </div>
        {busy && <StopButton />}
        {(!busy || draft.text !== "" || draft.cites.length > 0) && <IconButton type="submit" look="plain" label={t("compose.send")} hint="Enter" icon="send" disabled={!sendable} className="!size-10 !rounded-[10px]" />}
      </form>
      <p id={`${id}-hint`} className={letters > mostLetters ? "px-4 pb-2 text-sm text-bad" : "sr-only"}>
        {letters > mostLetters ? t("compose.too_long", { n: letters, most: mostLetters }) : t("compose.hint")}
      </p>
    </div>
  );
}

function Cites({ draft, onDraft }: { draft: Draft; onDraft: (draft: Draft) => void }) {
  const { t } = useTranslation("room");
  const word = useObjectWord();
  if (draft.cites.length === 0) return null;
  return (
    <ul aria-label={t("cites")} className="flex flex-wrap gap-1 px-2 pt-2">
      {draft.cites.map((c) => {
        const title = c.title === "" ? word(c.ref.type) : c.title;
        return (
          <li key={`${c.ref.type}:${c.ref.id ?? ""}`} className="flex max-w-full items-center gap-1 rounded-full bg-sunken pl-2.5 text-xs text-text">
            <span className="truncate">{title}</span>
            <button
              type="button"
              aria-label={t("compose.uncite", { title })}
              onClick={() => { onDraft({ ...draft, cites: draft.cites.filter((one) => one !== c) }); }}
              className="grid size-6 shrink-0 place-items-center rounded-full text-muted hover:text-text pointer-coarse:size-10"
            >
              <Icon name="close" className="size-3" />
            </button>
          </li>
        );
      })}
    </ul>
  );
}
