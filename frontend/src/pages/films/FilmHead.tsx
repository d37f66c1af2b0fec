import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { useDownloads } from "../../components/film/useDownloads";
import { Reactions } from "../../components/material/Reactions";
import { useReaction } from "../../components/material/useReaction";
import { Version } from "../../components/ui/Badge";
import { Icon } from "../../components/ui/Icon";
import { Time } from "../../components/ui/Time";
import { useFormat } from "../../components/ui/useFormat";
import { type Feedback, mineOn } from "../../services/feedback";
import { downloadOf, type Film } from "../../services/films";

type Props = {
  agent: string;
  film: Film;
  feedback: Feedback[];
  /** The reader, if they may react. */
  user?: string;
};

/** What the film is, the way to keep it, and what one thinks of it. */
export function FilmHead({ agent, film, feedback, user }: Props) {
  const { t } = useTranslation("films");
  const format = useFormat();
  const downloaded = useDownloads(agent);
  const file = downloadOf(film);
  const { media } = film;
  return (
    <header className="grid gap-2">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <h1 className="min-w-0 flex-1 basis-56 text-xl font-semibold leading-snug [overflow-wrap:anywhere]">{film.title || t("untitled")}</h1>
        {file !== null && (
          <a
            href={file}
            download
            onClick={() => { downloaded(film.id); }}
            className="inline-flex min-h-10 items-center gap-1.5 rounded-control border border-ink bg-ink px-4 font-semibold text-on-ink transition-colors duration-100 hover:bg-ink-raised"
          >
            <Icon name="download" />
            {t("download")}
          </a>
        )}
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
          <span className="tabular-nums">{format.seconds(media.seconds)}</span>
          {media.width > 0 && <span className="whitespace-nowrap tabular-nums">{`${media.width} × ${media.height}`}</span>}
          <Version n={film.version} />
          <Time at={film.at} />
          {film.run !== "" && <Link to="/a/$agent/tasks" params={{ agent }} search={{ run: film.run }} className="underline underline-offset-3 hover:text-text pointer-coarse:py-2">{t("task")}</Link>}
          {film.downloads > 0 && <span>{t("tile.downloads", { n: film.downloads })}</span>}
        </p>
        {user !== undefined && <Says agent={agent} film={film} feedback={feedback} user={user} />}
      </div>
    </header>
  );
}

function Says({ agent, film, feedback, user }: { agent: string; film: Film; feedback: Feedback[]; user: string }) {
  const mine = mineOn(feedback, user, film.id);
  const said = feedback.filter((f) => f.range === null && f.words !== "" && f.state !== "withdrawn").length;
  const { busy, error, change, undo } = useReaction(agent, { type: "film", id: film.id }, mine);
  return <div className="w-48"><Reactions mine={mine} said={said} busy={busy} error={error} onReact={change} onUndo={undo} /></div>;
}
