import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { type ReactElement, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";

import { useSession } from "../../components/frame/session";
import { readMark, useSeenShelf } from "../../components/frame/shelfMark";
import { FilmTile } from "../../components/film/FilmTile";
import { More } from "../../components/material/More";
import { MadePill } from "../../components/run/MadePill";
import { OpenRuns } from "../../components/run/OpenRuns";
import { useMade } from "../../components/run/useMade";
import { Empty } from "../../components/ui/Empty";
import { Notice } from "../../components/ui/Notice";
import { agentQuery } from "../../services/agents";
import { filmsQuery, stacksOf } from "../../services/films";
import { openRunsQuery } from "../../services/runs";
import { TilesSkeleton } from "../boards/TilesSkeleton";

/** /a/$agent/films: what was rendered, the versions of one line on a stack. */
export function FilmsPage(): ReactElement {
  const { t } = useTranslation("films");
  const { agent } = useParams({ from: "/signed/a/$agent/films" });
  const session = useSession();
  const about = useQuery(agentQuery(agent)).data;
  const list = useInfiniteQuery(filmsQuery(agent));
  const rendering = useQuery(openRunsQuery(agent, "film")).data ?? [];
  const films = useMemo(() => list.data?.pages.flatMap((page) => page.films) ?? [], [list.data]);
  const stacks = useMemo(() => stacksOf(films, Object.fromEntries(list.data?.pages.flatMap((page) => Object.entries(page.bases)) ?? [])), [films, list.data]);
  const { made, forget } = useMade();
  const [seen] = useState(() => readMark(session.user.id, agent, "films"));
  useSeenShelf(session.user.id, agent, "films", list.data ? { count: about?.counts.films ?? films.length, seq: films[0]?.seq ?? 0 } : null);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-3 px-4 py-3">
      <h1 className="sr-only">{t("title")}</h1>
      <OpenRuns agent={agent} runs={rendering} />
      <MadePill agent={agent} made={made} onForget={forget} />
      {list.error && <Notice error={list.error} onRetry={() => { void list.refetch(); }} kept={list.data !== undefined} />}
      {list.isPending && <TilesSkeleton tiles={6} height={340} least="max(172px, 14%)" />}
      {list.data && films.length === 0 && (
        <Empty title={t("list.none")} next={t(rendering.length > 0 ? "list.none_rendering" : (about?.counts.boards ?? 0) > 0 ? "list.none_next" : "list.none_boards")}>
          <Link to={(about?.counts.boards ?? 0) > 0 ? "/a/$agent/boards" : "/a/$agent/materials"} params={{ agent }} className="inline-flex min-h-10 items-center rounded-control border border-line-strong bg-surface px-4 hover:bg-sunken">
            {t((about?.counts.boards ?? 0) > 0 ? "list.to_boards" : "list.to_materials")}
          </Link>
        </Empty>
      )}
      {films.length > 0 && (
        <>
          <ul className="grid grid-cols-[repeat(auto-fill,minmax(max(172px,14%),1fr))] gap-3.5 max-sm:grid-cols-2 max-sm:gap-2.5">
            {stacks.map((stack) => (
              <li key={stack.top.id}>
                <FilmTile agent={agent} stack={stack} fresh={stack.all.some((film) => film.seq > seen.seq)} />
              </li>
            ))}
          </ul>
          <More
            more={list.hasNextPage}
            busy={list.isFetchingNextPage}
            end={t("list.end", { n: films.length })}
            label={t(list.isFetchingNextPage ? "list.loading_more" : "list.more")}
            onMore={() => { void list.fetchNextPage(); }}
          />
        </>
      )}
    </div>
  );
}
