import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { useRoomStore } from "../../live/useRoom";
import { type Citable, citablesQuery } from "../../services/room";
import { Icon } from "../ui/Icon";
import { Notice } from "../ui/Notice";
import { useObjectWord } from "./Cited";

/** The materials, boards, films and assets that match what is written after an @. */
export function useCitables(words: string | null): { list: Citable[]; pending: boolean; error: unknown } {
  const { agent } = useRoomStore();
  const query = useQuery({ ...citablesQuery(agent, words ?? ""), enabled: words !== null, placeholderData: keepPreviousData });
  return { list: query.data ?? [], pending: query.isPending, error: query.error };
}

export const optionId = (id: string, at: number) => `${id}-${at}`;

type Props = { id: string; words: string; found: ReturnType<typeof useCitables>; at: number; onPick: (c: Citable) => void };

/** A list above the box; the keys stay with the box. */
export function CitePicker({ id, words, found, at, onPick }: Props) {
  const { t } = useTranslation("room");
  const { list, pending, error } = found;
  const word = useObjectWord();
  return (
    <div className="mx-4 mt-2 overflow-hidden rounded-control border border-line-strong bg-surface shadow-card">
      {error !== null && <Notice error={error} />}
      {pending && error === null && <div className="skeleton m-2 h-16" />}
      {!pending && list.length === 0 && <p className="px-3 py-2 text-sm text-muted">{words === "" ? t("pick.nothing") : t("pick.none", { words })}</p>}
      <div id={id} role="listbox" aria-label={t("pick.label")} className="max-h-60 overflow-y-auto">
        {list.map((c, i) => (
          // The keys are the box's: it names the active option.
          // eslint-disable-next-line jsx-a11y/click-events-have-key-events
          <div
            key={`${c.ref.type} ${c.ref.id ?? ""}`}
            id={optionId(id, i)}
            role="option"
            aria-selected={i === at}
            onMouseDown={(e) => { e.preventDefault(); }}
            onClick={() => { onPick(c); }}
            tabIndex={-1}
            className={`flex min-h-9 cursor-pointer items-center gap-2.5 px-2.5 py-1 text-sm pointer-coarse:min-h-11 ${i === at ? "bg-sunken" : ""}`}
          >
            {c.poster === "" ? <Icon name={c.ref.type === "board" ? "board" : c.ref.type === "film" ? "play" : "materials"} className="size-5 text-muted" /> : <img src={c.poster} alt="" className="h-8 w-6 rounded-sm bg-sunken object-cover" />}
            <span className="min-w-0 flex-1 truncate">{c.title || word(c.ref.type)}</span>
            {c.ref.type !== "material" && <span className="shrink-0 text-xs text-muted">{word(c.ref.type)}</span>}
          </div>
        ))}
      </div>
      {list.length > 0 && <p className="border-t border-line px-2.5 py-1 text-xs text-muted pointer-coarse:hidden">{t("pick.hint")}</p>}
    </div>
  );
}
