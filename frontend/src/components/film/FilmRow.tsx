import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { Version } from "../ui/Badge";
import { Time } from "../ui/Time";
import { useFormat } from "../ui/useFormat";
import type { Film } from "../../services/films";

/** One film in a list beside something else. */
export function FilmRow({ agent, film, current = false }: { agent: string; film: Film; current?: boolean }) {
  const { t } = useTranslation("films");
  const format = useFormat();
  return (
    <Link
      to="/a/$agent/films/$film"
      params={{ agent, film: film.id }}
      className={`flex items-center gap-3 rounded-control border bg-surface p-1.5 pr-3 ${current ? "border-text" : "border-line hover:border-line-strong"}`}
    >
      <span className="block h-14 w-9 shrink-0 overflow-hidden rounded bg-sunken">
        {film.media.poster && <img src={film.media.poster} alt="" loading="lazy" className="size-full object-cover" />}
      </span>
      <span className="min-w-0 flex-1">
        <span className="block truncate">{film.title || t("untitled")}</span>
        <span className="flex flex-wrap items-center gap-x-2 text-xs text-muted">
          <span className="font-mono">{format.duration(film.media.seconds)}</span>
          <Version n={film.version} />
          <Time at={film.at} />
        </span>
      </span>
      {current && <span className="text-xs text-muted">{t("versions.this")}</span>}
    </Link>
  );
}
