import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { Version } from "../ui/Badge";
import { Icon } from "../ui/Icon";
import { Time } from "../ui/Time";
import { useFormat } from "../ui/useFormat";
import { type Board, type Clips, lengthOf } from "../../services/boards";

/** So many pictures fit side by side. */
const most = 6;

/** One board of the list: its first pictures side by side, what it is called and what came of it. */
export function BoardTile({ agent, board, clips, fresh }: { agent: string; board: Board; clips: Clips; fresh: boolean }) {
  const { t } = useTranslation("boards");
  const format = useFormat();
  const shown = board.panels.slice(0, board.panels.length > most ? most - 1 : most);
  const rest = board.panels.length - shown.length;
  return (
    <article className="relative flex h-full flex-col overflow-hidden rounded-card border border-line bg-surface transition-colors duration-100 hover:border-line-strong">
      <div aria-hidden="true" className="flex h-36 gap-px bg-line">
        {shown.map((panel) => {
          const poster = clips[panel.material]?.poster;
          return (
            <span key={panel.number} className="relative min-w-0 flex-1 bg-sunken">
              {poster && <img src={poster} alt="" loading="lazy" className="size-full object-cover" />}
              <span className="absolute left-1 top-1 grid size-5 place-content-center rounded-full bg-black/60 font-mono text-[11px] font-semibold text-white">{panel.number}</span>
            </span>
          );
        })}
        {rest > 0 && <span className="grid flex-1 place-content-center bg-sunken font-mono text-sm text-muted">{`+${rest}`}</span>}
      </div>
      <div className="grid flex-1 content-start gap-1 px-3.5 pb-3 pt-2.5">
        <h2 className="flex items-start gap-2 font-semibold leading-snug">
          {/* The link's ground covers the tile, so that the whole of it can be pressed. */}
          <Link to="/a/$agent/boards/$board" params={{ agent, board: board.id }} className="line-clamp-2 min-w-0 flex-1 [overflow-wrap:anywhere] after:absolute after:inset-0">{board.title}</Link>
          {fresh && (
            <span className="flex shrink-0 items-center gap-1 pt-0.5 text-xs font-semibold">
              <i aria-hidden="true" className="size-1.5 rounded-full bg-focus" />
              {t("tile.fresh")}
            </span>
          )}
        </h2>
        <p className="flex flex-wrap items-center gap-x-2 text-sm text-muted">
          <span className="tabular-nums">{t("tile.panels", { n: board.panels.length })}</span>
          <span className="tabular-nums">{format.seconds(lengthOf(board.panels))}</span>
          <Version n={board.version} />
          {board.base !== "" && <span>{t("tile.again")}</span>}
        </p>
        <p className="mt-auto flex flex-wrap items-center gap-x-3 pt-1 text-xs text-muted">
          <Time at={board.at} />
          {board.films > 0 && <span>{t("tile.films", { n: board.films })}</span>}
          {board.likes > 0 && <Count icon="thumb" n={board.likes} label={t("tile.likes", { n: board.likes })} />}
          {board.dislikes > 0 && <Count icon="thumb" n={board.dislikes} label={t("tile.dislikes", { n: board.dislikes })} down />}
          {board.comments > 0 && <Count icon="room" n={board.comments} label={t("tile.comments", { n: board.comments })} />}
        </p>
      </div>
    </article>
  );
}

export function Count({ icon, n, label, down = false }: { icon: "thumb" | "room" | "download"; n: number; label: string; down?: boolean }) {
  return (
    <span className="inline-flex items-center gap-1 tabular-nums">
      <Icon name={icon} className={`size-3.5 ${down ? "rotate-180" : ""}`} />
      <span aria-hidden="true">{n}</span>
      <span className="sr-only">{label}</span>
    </span>
  );
}
