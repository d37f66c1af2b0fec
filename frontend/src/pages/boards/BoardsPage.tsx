import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { type ReactElement, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";

import { BoardTile } from "../../components/board/BoardTile";
import { OrderBoard } from "../../components/board/OrderBoard";
import { useCommand } from "../../components/card/useCommand";
import { useSession } from "../../components/frame/session";
import { readMark, useSeenShelf } from "../../components/frame/shelfMark";
import { More } from "../../components/material/More";
import { MadePill } from "../../components/run/MadePill";
import { OpenRuns } from "../../components/run/OpenRuns";
import { useMade } from "../../components/run/useMade";
import { Button } from "../../components/ui/Button";
import { Empty } from "../../components/ui/Empty";
import { Icon } from "../../components/ui/Icon";
import { Notice } from "../../components/ui/Notice";
import { agentQuery, mayWrite } from "../../services/agents";
import { boardsQuery, type Clips } from "../../services/boards";
import { commandRun, openRunsQuery, runsKey } from "../../services/runs";
import { TilesSkeleton } from "./TilesSkeleton";

/** /a/$agent/boards: the storyboards, newest first. */
export function BoardsPage(): ReactElement {
  const { t } = useTranslation("boards");
  const { agent } = useParams({ from: "/signed/a/$agent/boards" });
  const session = useSession();
  const queries = useQueryClient();
  const about = useQuery(agentQuery(agent)).data;
  const list = useInfiniteQuery(boardsQuery(agent));
  const writing = useQuery(openRunsQuery(agent, "board")).data ?? [];
  const boards = useMemo(() => list.data?.pages.flatMap((page) => page.boards) ?? [], [list.data]);
  const clips = useMemo<Clips>(() => Object.fromEntries(list.data?.pages.flatMap((page) => Object.entries(page.clips)) ?? []), [list.data]);
  const { made, forget } = useMade();
  const [asking, setAsking] = useState(false);
  const start = useCommand(
    (what: string, key) => commandRun(queries, agent, { key, do: "board", board: { what, base: "", cites: [] } }),
    () => {
      setAsking(false);
      void queries.invalidateQueries({ queryKey: runsKey(agent) });
    },
  );
  // What was new when the page was opened stays marked while one looks.
  const [seen] = useState(() => readMark(session.user.id, agent, "boards"));
  useSeenShelf(session.user.id, agent, "boards", list.data ? { count: about?.counts.boards ?? boards.length, seq: boards[0]?.seq ?? 0 } : null);
  const writable = about !== undefined && mayWrite(about, session);
  const order = writable && (
    <Button small onClick={() => { start.reset(); setAsking(true); }}>
      <Icon name="plus" />
      {t("order.button")}
    </Button>
  );
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-3 px-4 py-3">
      <div className="flex min-h-8 items-center gap-3">
        <h1 className="sr-only">{t("title")}</h1>
        <p className="min-w-0 flex-1 text-sm text-muted">{t("list.why")}</p>
        {order}
      </div>
      <OpenRuns agent={agent} runs={writing} />
      <MadePill agent={agent} made={made} onForget={forget} />
      {list.error && <Notice error={list.error} onRetry={() => { void list.refetch(); }} kept={list.data !== undefined} />}
      {list.isPending && <TilesSkeleton tiles={4} height={260} least="min(340px,100%)" />}
      {list.data && boards.length === 0 && (
        <Empty title={t("list.none")} next={t(writing.length > 0 ? "list.none_writing" : "list.none_next")}>
          <Link to="/a/$agent/materials" params={{ agent }} className="inline-flex min-h-10 items-center rounded-control border border-line-strong bg-surface px-4 hover:bg-sunken">{t("list.to_materials")}</Link>
        </Empty>
      )}
      {boards.length > 0 && (
        <>
          <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(340px,100%),1fr))] gap-3.5">
            {boards.map((board) => (
              <li key={board.id}>
                <BoardTile agent={agent} board={board} clips={clips} fresh={board.seq > seen.seq} />
              </li>
            ))}
          </ul>
          <More
            more={list.hasNextPage}
            busy={list.isFetchingNextPage}
            end={t("list.end", { n: boards.length })}
            label={t(list.isFetchingNextPage ? "list.loading_more" : "list.more")}
            onMore={() => { void list.fetchNextPage(); }}
          />
        </>
      )}
      <OrderBoard open={asking} kind="first" busy={start.isPending} error={start.error} onClose={() => { setAsking(false); }} onStart={start.mutate} />
    </div>
  );
}
