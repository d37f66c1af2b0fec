import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type ReactElement, useMemo } from "react";
import { useTranslation } from "react-i18next";

import { useSession } from "../../components/frame/session";
import { More } from "../../components/material/More";
import { RunFilters } from "../../components/run/RunFilters";
import { RunSheet } from "../../components/run/RunSheet";
import { RunTable } from "../../components/run/RunTable";
import { Button } from "../../components/ui/Button";
import { Empty } from "../../components/ui/Empty";
import { Notice } from "../../components/ui/Notice";
import { Skeleton } from "../../components/ui/Skeleton";
import { usePhone } from "../../components/ui/usePhone";
import { agentQuery, mayWrite } from "../../services/agents";
import { type RunFilter, runsQuery } from "../../services/runs";
import { runFilter, tasksSearch } from "./search";

/** /a/$agent/tasks: every piece of background work, and what became of it. */
export function TasksPage(): ReactElement {
  const { t } = useTranslation("tasks");
  const { agent } = useParams({ from: "/signed/a/$agent/tasks" });
  const search = useSearch({ from: "/signed/a/$agent/tasks" });
  const navigate = useNavigate({ from: "/a/$agent/tasks" });
  const session = useSession();
  const phone = usePhone();
  const about = useQuery(agentQuery(agent)).data;
  const filter = runFilter(search);
  const list = useInfiniteQuery(runsQuery(agent, filter));
  const runs = useMemo(() => list.data?.pages.flatMap((page) => page.runs) ?? [], [list.data]);

  const change = (part: Partial<RunFilter>) => {
    const next = { ...filter, ...part };
    void navigate({
      search: (old) => tasksSearch({ ...old, ...next, state: next.state.join(","), work: next.work.join(",") }),
      replace: true,
    });
  };
  const clear = () => { void navigate({ search: {} }); };
  const open = (run: string | undefined) => { void navigate({ search: (old) => tasksSearch({ ...old, run }), resetScroll: false }); };
  const filtered = filter.state.length + filter.work.length + filter.version > 0 || filter.trigger !== "";

  return (
    <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-3 px-4 py-3">
      <h1 className="sr-only">{t("title")}</h1>
      <RunFilters filter={filter} version={about?.geneVersion ?? 0} onChange={change} onClear={clear} />
      {list.error && <Notice error={list.error} onRetry={() => { void list.refetch(); }} kept={list.data !== undefined} />}
      {list.isPending && <Skeleton rows={6} height={48} />}
      {list.data && runs.length === 0 && (
        <Empty title={t(filtered ? "list.no_match" : "list.none")} next={t(filtered ? "list.no_match_next" : "list.none_next")}>
          {filtered ? (
            <Button onClick={clear}>{t("filter.clear")}</Button>
          ) : (
            <Link to="/a/$agent/materials" params={{ agent }} className="inline-flex min-h-10 items-center rounded-control border border-line-strong bg-surface px-4 hover:bg-sunken">
              {t("list.to_materials")}
            </Link>
          )}
        </Empty>
      )}
      {runs.length > 0 && (
        <>
          <RunTable agent={agent} runs={runs} narrow={phone} />
          <More
            more={list.hasNextPage}
            busy={list.isFetchingNextPage}
            end={t("list.end", { n: runs.length })}
            label={t(list.isFetchingNextPage ? "list.loading_more" : "list.more")}
            onMore={() => { void list.fetchNextPage(); }}
          />
        </>
      )}
      {search.run !== undefined && (
        <RunSheet
          key={search.run}
          agent={agent}
          id={search.run}
          person={runs.find((r) => r.id === search.run)?.person ?? ""}
          writable={about !== undefined && mayWrite(about, session)}
          onOpen={open}
          onClose={() => { open(undefined); }}
        />
      )}
    </div>
  );
}
