import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { Count } from "../ui/Badge";

type Props = {
  agent: string;
  name: string;
  materials: Shelf | undefined;
  boards: Shelf | undefined;
  films: Shelf | undefined;
  geneVersion: number | undefined;
  running: number;
  /** The room as a tab, on a phone. */
  room: { news: boolean; waiting: number } | null;
  /** At the row's end. */
  children?: ReactNode;
};

/** How many there are, and how many are new to the reader. */
type Shelf = { all: number; fresh: number };

const tab =
  "-mb-px flex min-h-10 shrink-0 items-center gap-1.5 border-b-2 border-transparent px-3 text-muted transition-colors duration-100 hover:text-text aria-[current=page]:border-text aria-[current=page]:font-semibold aria-[current=page]:text-text";

/** The pages of an agent, each with its number. */
export function AgentTabs({ agent, name, materials, boards, films, geneVersion, running, room, children }: Props) {
  const { t } = useTranslation();
  const params = { agent };
  return (
    <div className="flex items-end border-b border-line pl-1 pr-4 pt-1 max-sm:pl-0 max-sm:pr-1">
      <nav aria-label={t("frame.tabs", { name })} className="flex min-w-0 flex-1 items-end gap-2">
        <div className="flex min-w-0 flex-1 items-end gap-0.5 overflow-x-auto [scrollbar-width:none]">
          {room && (
            <Link to="/a/$agent/room" params={params} className={tab}>
              {t("frame.room")}
              <RoomDot {...room} />
            </Link>
          )}
          <Link to="/a/$agent/materials" params={params} className={tab}>
            {t("frame.materials")}
            <ShelfCount shelf={materials} />
          </Link>
          <Link to="/a/$agent/boards" params={params} className={tab}>
            {t("frame.boards")}
            <ShelfCount shelf={boards} />
          </Link>
          <Link to="/a/$agent/films" params={params} className={tab}>
            {t("frame.films")}
            <ShelfCount shelf={films} />
          </Link>
          <Link to="/a/$agent/gene" params={params} className={tab}>
            {t("frame.gene")}
            {geneVersion !== undefined && (
              <>
                <span aria-hidden="true" className="contents">
                  <Count n={`V${geneVersion}`} />
                </span>
                <span className="sr-only">{t("frame.version", { n: geneVersion })}</span>
              </>
            )}
          </Link>
          {room && <TasksLink agent={agent} running={running} className={tab} />}
        </div>
        {!room && (
          <TasksLink
            agent={agent}
            running={running}
            className="mb-1.5 flex min-h-8 shrink-0 items-center gap-1.5 rounded-control border border-line bg-surface px-3 text-sm text-muted transition-colors duration-100 hover:text-text aria-[current=page]:border-text aria-[current=page]:text-text pointer-coarse:min-h-10"
          />
        )}
      </nav>
      {children}
    </div>
  );
}

function ShelfCount({ shelf }: { shelf: Shelf | undefined }) {
  const { t } = useTranslation();
  if (!shelf || shelf.all === 0) return null;
  return (
    <>
      <span aria-hidden="true" className="contents">{shelf.fresh > 0 ? <Count n={shelf.fresh} fresh /> : <Count n={shelf.all} />}</span>
      <span className="sr-only">{shelf.fresh > 0 ? t("frame.fresh", { n: shelf.fresh }) : t("frame.shelf_of", { n: shelf.all })}</span>
    </>
  );
}

function TasksLink({ agent, running, className }: { agent: string; running: number; className: string }) {
  const { t } = useTranslation();
  return (
    <Link to="/a/$agent/tasks" params={{ agent }} className={className}>
      {t("frame.tasks")}
      {running > 0 && (
        <>
          <b aria-hidden="true" className="font-mono text-text">{running}</b>
          <span className="sr-only">{t("frame.running_of", { n: running })}</span>
        </>
      )}
    </Link>
  );
}

/** That the butler said something new, or how many cards wait. */
export function RoomDot({ news, waiting }: { news: boolean; waiting: number }) {
  const { t } = useTranslation();
  if (waiting > 0) {
    return (
      <>
        <span aria-hidden="true" className="rounded-full bg-ink px-1.5 font-mono text-[11px] font-semibold leading-4 text-on-ink">{waiting}</span>
        <span className="sr-only">{t("frame.room_waits", { n: waiting })}</span>
      </>
    );
  }
  if (!news) return null;
  return (
    <>
      <span aria-hidden="true" className="size-2 rounded-full bg-text" />
      <span className="sr-only">{t("frame.room_news")}</span>
    </>
  );
}
