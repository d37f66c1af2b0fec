import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";

import { useFormat } from "../ui/useFormat";
import { type Board, type Clips, startsOf } from "../../services/boards";

type Props = {
  agent: string;
  board: Board;
  clips: Clips;
  /** The place of the panel that plays, -1: none. */
  playing: number;
  /** The board was changed after the film was made. */
  changed: boolean;
  onSeek: (at: number) => void;
};

/** The board beside its film: the panel that plays stands out, and a press goes to where one begins. */
export function FilmBoard({ agent, board, clips, playing, changed, onSeek }: Props) {
  const { t } = useTranslation("films");
  const format = useFormat();
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const item = list.current?.children[playing];
    // Only the list itself moves, never the page under the reader.
    if (item instanceof HTMLElement && list.current) {
      const { scrollTop, clientHeight } = list.current;
      if (item.offsetTop < scrollTop || item.offsetTop + item.offsetHeight > scrollTop + clientHeight) list.current.scrollTo({ top: item.offsetTop - 8 });
    }
  }, [playing]);
  const starts = startsOf(board.panels);
  return (
    <section aria-labelledby="film-board" className="grid content-start gap-2">
      <div className="flex items-baseline gap-2">
        <h2 id="film-board" className="font-semibold">{t("board.title")}</h2>
        <Link to="/a/$agent/boards/$board" params={{ agent, board: board.id }} className="min-w-0 flex-1 truncate text-sm text-muted underline underline-offset-3 hover:text-text">{board.title}</Link>
      </div>
      {changed && <p className="rounded-control bg-warn-ground px-3 py-1.5 text-sm text-warn">{t("board.changed")}</p>}
      <ol ref={list} className="relative grid max-h-[70dvh] gap-1 overflow-y-auto overscroll-contain max-sm:max-h-none">
        {board.panels.map((panel, i) => {
          const poster = clips[panel.material]?.poster;
          const start = starts[i] ?? 0;
          return (
            <li key={panel.number}>
              <button
                type="button"
                aria-current={i === playing ? "true" : undefined}
                onClick={() => { onSeek(start); }}
                className="flex w-full items-start gap-2.5 rounded-control border border-transparent p-1.5 text-left hover:bg-sunken aria-[current=true]:border-text aria-[current=true]:bg-surface"
              >
                <span className="sr-only">{t("board.seek", { n: panel.number })}</span>
                <span aria-hidden="true" className="relative block h-16 w-11 shrink-0 overflow-hidden rounded bg-sunken">
                  {poster && <img src={poster} alt="" loading="lazy" className="size-full object-cover" />}
                  <span className="absolute left-1 top-1 grid size-5 place-content-center rounded-full bg-black/65 font-mono text-[11px] font-semibold text-white">{panel.number}</span>
                </span>
                <span className="min-w-0 flex-1">
                  <span className="line-clamp-2 text-sm [overflow-wrap:anywhere]">{panel.caption || t("board.no_caption")}</span>
                  <span className="block font-mono text-xs text-muted">{`${format.duration(start)} · ${format.seconds(panel.seconds)}`}</span>
                </span>
              </button>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
