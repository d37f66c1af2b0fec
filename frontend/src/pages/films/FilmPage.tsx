import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { type ReactElement, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import { useCommand } from "../../components/card/useCommand";
import { type Comment, CommentForm } from "../../components/film/CommentForm";
import { FilmBoard } from "../../components/film/FilmBoard";
import { FilmRow } from "../../components/film/FilmRow";
import { RangeBar } from "../../components/film/RangeBar";
import { useSession } from "../../components/frame/session";
import { Player, type PlayerHandle } from "../../components/material/Player";
import { Said } from "../../components/material/Said";
import { MadePill } from "../../components/run/MadePill";
import { useMade } from "../../components/run/useMade";
import { Icon } from "../../components/ui/Icon";
import { Notice } from "../../components/ui/Notice";
import { Skeleton } from "../../components/ui/Skeleton";
import { useFormat } from "../../components/ui/useFormat";
import { agentQuery, mayWrite } from "../../services/agents";
import { panelAt, startsOf } from "../../services/boards";
import { type Feedback, feedbackKey, objectFeedbackQuery, type Range, react } from "../../services/feedback";
import { type FilmDetail, filmQuery, filmsKey } from "../../services/films";
import { FilmHead } from "./FilmHead";

/** /a/$agent/films/$film: one film beside its board, with what people said about which second. */
export function FilmPage(): ReactElement {
  const { agent, film: id } = useParams({ from: "/signed/a/$agent/films/$film" });
  const detail = useQuery(filmQuery(agent, id));
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-3 px-4 py-3">
      <AllFilms agent={agent} />
      {detail.error && <Notice error={detail.error} onRetry={() => { void detail.refetch(); }} kept={detail.data !== undefined} />}
      {detail.isPending && <Skeleton rows={2} height={220} />}
      {detail.data && <Whole key={id} agent={agent} film={detail.data} />}
    </div>
  );
}

const hasRange = (f: Feedback): f is Feedback & { range: Range } => f.range !== null && f.state !== "withdrawn";

function Whole({ agent, film }: { agent: string; film: FilmDetail }) {
  const { t } = useTranslation("films");
  const format = useFormat();
  const { at: linked = 0 } = useSearch({ from: "/signed/a/$agent/films/$film" });
  const session = useSession();
  const queries = useQueryClient();
  const about = useQuery(agentQuery(agent)).data;
  const object = { type: "film", id: film.id };
  const feedback = useQuery(objectFeedbackQuery(agent, object)).data ?? [];
  const { made: news, forget } = useMade(film.id);
  const player = useRef<PlayerHandle>(null);
  const [at, setAt] = useState(linked);
  const [range, setRange] = useState<Range | null>(null);
  const [current, setCurrent] = useState("");
  const comment = useCommand(
    ({ range: where, verdict, words }: Comment, key) => react(queries, agent, { key, undoKey: "", object: { ...object, ...where }, verdict, words, replaces: "" }),
    () => {
      setRange(null);
      void queries.invalidateQueries({ queryKey: feedbackKey(agent) });
      void queries.invalidateQueries({ queryKey: filmsKey(agent) });
    },
  );
  const writable = about !== undefined && mayWrite(about, session);
  const { made: board, takes } = film;
  const panels = board?.panels ?? [];
  const length = film.media.seconds;
  const changed = board?.editedAt != null && board.editedAt > film.at;
  const seek = (to: number) => {
    player.current?.seek(to);
    setAt(to);
  };
  const look = (f: Feedback & { range: Range }) => {
    setCurrent(f.id);
    seek(f.range.from);
  };
  useEffect(() => { if (linked > 0) player.current?.seek(linked); }, [linked]);
  return (
    <div className="grid gap-x-6 gap-y-4 lg:grid-cols-[minmax(0,1fr)_minmax(260px,340px)]">
      <div className="grid content-start gap-3">
        <FilmHead agent={agent} film={film} feedback={feedback} {...(writable ? { user: session.user.id } : {})} />
        <MadePill agent={agent} made={news} onForget={forget} />
        {film.media.video === null ? (
          <p className="grid min-h-48 place-content-center rounded-card bg-sunken text-muted">{t("no_file")}</p>
        ) : (
          <Player handle={player} media={{ ...film.media, video: film.media.video }} cuts={startsOf(panels).slice(1)} told={false} low title={film.title || t("untitled")} onTime={setAt} />
        )}
        <RangeBar length={length} panels={panels} at={at} chosen={range} pins={feedback.filter(hasRange)} current={current} onChoose={setRange} onSeek={seek} onPin={look} />
        {writable && (
          <CommentForm
            length={length}
            at={at}
            range={range}
            busy={comment.isPending}
            error={comment.error}
            onRange={setRange}
            onSend={(said, done) => { comment.mutate(said, { onSuccess: done }); }}
          />
        )}
        <Said
          agent={agent}
          object={object}
          user={session.user.id}
          writable={writable}
          of="page"
          place={(f) => hasRange(f) && (
            <button type="button" aria-current={f.id === current ? "true" : undefined} className="font-mono text-xs text-muted underline underline-offset-3 hover:text-text aria-[current=true]:font-semibold aria-[current=true]:text-text" onClick={() => { look(f); }}>
              {t("bar.range", { from: format.decimal(f.range.from), to: format.decimal(f.range.to) })}
            </button>
          )}
        />
      </div>
      <div className="grid content-start gap-5">
        {board && <FilmBoard agent={agent} board={board} clips={film.clips} playing={panelAt(panels, at)} changed={changed} onSeek={seek} />}
        {takes.length > 1 && (
          <section aria-labelledby="versions" className="grid gap-2">
            <h2 id="versions" className="font-semibold">{t("versions.title")} <span className="text-sm font-normal text-muted">{t("versions.n", { n: takes.length })}</span></h2>
            <ol className="grid gap-1.5">
              {takes.map((one) => (
                <li key={one.id}><FilmRow agent={agent} film={one} current={one.id === film.id} /></li>
              ))}
            </ol>
          </section>
        )}
      </div>
    </div>
  );
}

function AllFilms({ agent }: { agent: string }) {
  const { t } = useTranslation("films");
  return (
    <Link to="/a/$agent/films" params={{ agent }} className="inline-flex min-h-6 items-center gap-1 justify-self-start text-sm text-muted hover:text-text pointer-coarse:min-h-10">
      <Icon name="chevronLeft" />
      {t("all")}
    </Link>
  );
}
