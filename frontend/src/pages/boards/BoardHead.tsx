import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { personOf } from "../../components/card/useNames";
import { FilmRow } from "../../components/film/FilmRow";
import { Part } from "../../components/material/Part";
import { Reactions } from "../../components/material/Reactions";
import { useReaction } from "../../components/material/useReaction";
import { Version } from "../../components/ui/Badge";
import { Time } from "../../components/ui/Time";
import { useFormat } from "../../components/ui/useFormat";
import { type Board, type BoardDetail, lengthOf } from "../../services/boards";
import { type Feedback, mineOn } from "../../services/feedback";

type Props = {
  agent: string;
  board: BoardDetail;
  feedback: Feedback[];
  maxSeconds: number;
  /** The reader, if they may react. */
  user?: string;
  children: ReactNode;
};

const link = "underline underline-offset-3 hover:text-text pointer-coarse:py-2";

/** What the board is called, where it comes from, what one thinks of it, and what can be done. */
export function BoardHead({ agent, board, feedback, maxSeconds, user, children }: Props) {
  const { t } = useTranslation("boards");
  const format = useFormat();
  const total = lengthOf(board.panels);
  const editor = board.people[personOf(board.editedBy)] ?? t("head.somebody");
  return (
    <header className="grid gap-2">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <h1 className="min-w-0 flex-1 basis-64 text-xl font-semibold leading-snug [overflow-wrap:anywhere]">{board.title}</h1>
        <div className="flex flex-wrap gap-2">{children}</div>
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p className="flex min-w-0 flex-1 basis-80 flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
          <span className="tabular-nums">{t("tile.panels", { n: board.panels.length })}</span>
          <span className="tabular-nums">{maxSeconds > 0 ? t("head.length_of", { n: format.seconds(total), most: maxSeconds }) : format.seconds(total)}</span>
          <Version n={board.version} />
          <Time at={board.at} />
          {board.run !== "" && <Link to="/a/$agent/tasks" params={{ agent }} search={{ run: board.run }} className={link}>{t("head.task")}</Link>}
          {board.base !== "" && <Link to="/a/$agent/boards/$board" params={{ agent, board: board.base }} className={link}>{t("head.base")}</Link>}
          {board.editedAt && <span>{t("head.edited", { name: editor })} <Time at={board.editedAt} /></span>}
        </p>
        {user !== undefined && <Says agent={agent} board={board} feedback={feedback} user={user} />}
      </div>
    </header>
  );
}

function Says({ agent, board, feedback, user }: { agent: string; board: Board; feedback: Feedback[]; user: string }) {
  const mine = mineOn(feedback, user, board.id);
  const said = feedback.filter((f) => f.panel === 0 && f.words !== "" && f.state !== "withdrawn").length;
  const { busy, error, change, undo } = useReaction(agent, { type: "board", id: board.id }, mine);
  return <div className="w-48"><Reactions mine={mine} said={said} busy={busy} error={error} onReact={change} onUndo={undo} /></div>;
}

/** The films made from it, and the other versions of it. */
export function Lineage({ agent, board }: { agent: string; board: BoardDetail }) {
  const { t } = useTranslation("boards");
  const line = board.kin.length > 1 ? board.kin : [];
  return (
    <div className="grid content-start gap-4">
      <Part of="page" title={t("made_into")}>
        {board.madeInto.length === 0 ? <p className="text-muted">{t("no_films")}</p> : (
          <ul className="grid gap-1.5">
            {board.madeInto.map((film) => <li key={film.id}><FilmRow agent={agent} film={film} /></li>)}
          </ul>
        )}
      </Part>
      {line.length > 0 && (
        <Part of="page" title={t("versions")}>
          <ol className="grid gap-1">
            {line.map((k) => (
              <li key={k.id} className="flex items-center gap-2">
                <Link to="/a/$agent/boards/$board" params={{ agent, board: k.id }} className={`min-w-0 truncate pointer-coarse:py-2 ${k.id === board.id ? "font-semibold" : "underline underline-offset-3"}`}>{k.title}</Link>
                <Version n={k.version} />
                {k.id === board.id && <span className="whitespace-nowrap text-xs text-muted">{t("this")}</span>}
                {k.films > 0 && <span className="whitespace-nowrap text-xs text-muted">{t("tile.films", { n: k.films })}</span>}
                <Time at={k.at} className="ml-auto text-xs text-muted" />
              </li>
            ))}
          </ol>
        </Part>
      )}
    </div>
  );
}
