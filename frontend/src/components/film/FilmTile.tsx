import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { Count } from "../board/BoardTile";
import { Thumb, useHover } from "../material/Thumb";
import { Version } from "../ui/Badge";
import { Time } from "../ui/Time";
import type { Stack } from "../../services/films";

/** A line of films: the newest, with the older ones behind it. */
export function FilmTile({ agent, stack, fresh }: { agent: string; stack: Stack; fresh: boolean }) {
  const { t } = useTranslation("films");
  const { playing, handlers } = useHover();
  const { top: film, all } = stack;
  const title = film.title || t("untitled");
  const behind = Math.min(2, all.length - 1);
  return (
    <div className="relative h-full" style={{ paddingTop: behind * 6 }}>
      {Array.from({ length: behind }, (_, i) => (
        <span key={i} aria-hidden="true" className="absolute inset-x-0 h-8 rounded-t-card border border-line-strong bg-surface" style={{ top: i * 6, marginInline: (behind - i) * 9 }} />
      ))}
      <article className="relative flex h-full flex-col overflow-hidden rounded-card border border-line bg-surface transition-colors duration-100 hover:border-line-strong" {...handlers}>
        <Thumb material={{ media: film.media, cuts: null, rating: null }} playing={playing} />
        <div className="grid flex-1 content-start gap-1 px-3 pb-2.5 pt-2">
          <h2 className="text-sm font-semibold leading-[1.45]">
            <Link to="/a/$agent/films/$film" params={{ agent, film: film.id }} className="line-clamp-2 [overflow-wrap:anywhere] after:absolute after:inset-0">{title}</Link>
          </h2>
          <p className="flex flex-wrap items-center gap-x-2 text-xs text-muted">
            <Version n={film.version} />
            {all.length > 1 && <span>{t("versions.n", { n: all.length })}</span>}
            {fresh && (
              <span className="ml-auto flex items-center gap-1 font-semibold text-text">
                <i aria-hidden="true" className="size-1.5 rounded-full bg-focus" />
                {t("tile.fresh")}
              </span>
            )}
          </p>
          <p className="mt-auto flex flex-wrap items-center gap-x-3 text-xs text-muted">
            <Time at={film.at} />
            {film.downloads > 0 && <Count icon="download" n={film.downloads} label={t("tile.downloads", { n: film.downloads })} />}
            {film.likes > 0 && <Count icon="thumb" n={film.likes} label={t("tile.likes", { n: film.likes })} />}
            {film.comments > 0 && <Count icon="room" n={film.comments} label={t("tile.comments", { n: film.comments })} />}
          </p>
        </div>
      </article>
    </div>
  );
}
