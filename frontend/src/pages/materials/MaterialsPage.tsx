import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, type ReactElement, Suspense, useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";

import { OrderBoard } from "../../components/board/OrderBoard";
import { useCommand } from "../../components/card/useCommand";
import { useSession } from "../../components/frame/session";
import { ChosenBar } from "../../components/material/ChosenBar";
import { MaterialDialog } from "../../components/material/MaterialDialog";
import { MaterialFilters } from "../../components/material/MaterialFilters";
import { MaterialGrid } from "../../components/material/MaterialGrid";
import { seenAfter } from "../../components/material/gaze";
import { More } from "../../components/material/More";
import { Searching } from "../../components/material/Searching";
import { useBehavior } from "../../components/material/useBehavior";
import { useChosen } from "../../components/material/useChosen";
import { useFresh } from "../../components/material/useFresh";
import { Button } from "../../components/ui/Button";
import { Empty } from "../../components/ui/Empty";
import { Icon } from "../../components/ui/Icon";
import { Notice } from "../../components/ui/Notice";
import { agentQuery, mayWrite } from "../../services/agents";
import { ulid } from "../../services/api";
import { type MaterialFilter, materialsQuery, sources as allSources } from "../../services/materials";
import { commandRun, type NewSearch, openRunsQuery, runsKey } from "../../services/runs";
import { GridSkeleton } from "./GridSkeleton";
import { materialFilter, type MaterialsSearch, materialsSearch } from "./search";

const FindMore = lazy(async () => ({ default: (await import("../../components/material/FindMore")).FindMore }));

/** /a/$agent/materials: what was found, and what people make of it. */
export function MaterialsPage(): ReactElement {
  const { t } = useTranslation("materials");
  const { agent } = useParams({ from: "/signed/a/$agent/materials" });
  const search = useSearch({ from: "/signed/a/$agent/materials" });
  const navigate = useNavigate({ from: "/a/$agent/materials" });
  const session = useSession();
  const queries = useQueryClient();
  const about = useQuery(agentQuery(agent)).data;
  const filter = materialFilter(search);
  const list = useInfiniteQuery(materialsQuery(agent, filter));
  const searching = useQuery(openRunsQuery(agent, "search")).data ?? [];
  const materials = useMemo(() => list.data?.pages.flatMap((page) => page.materials) ?? [], [list.data]);
  const ask = (find: MaterialsSearch["find"]) => { void navigate({ search: materialsSearch({ ...search, find }), replace: find === undefined, resetScroll: false }); };
  const start = useStart(agent, () => { ask(undefined); });
  const behavior = useBehavior(agent);
  const { fresh, show, top } = useFresh(agent, list.data?.pages.length ?? 0);
  const writable = about !== undefined && mayWrite(about, session);
  const sources = about && about.sources.length > 0 ? about.sources : allSources;
  const asked = writable ? search.find : undefined;
  // Loaded when it is first wanted; from then on it keeps what was written in it.
  const [everAsked, setEverAsked] = useState(false);
  if (asked !== undefined && !everAsked) setEverAsked(true);
  const chosen = useChosen();
  const [making, setMaking] = useState(false);
  const make = useCommand(
    (what: string, key) => commandRun(queries, agent, { key, do: "board", board: { what, base: "", cites: chosen.list.map((m) => ({ type: "material", id: m.id })) } }),
    () => {
      chosen.clear();
      setMaking(false);
      void queries.invalidateQueries({ queryKey: runsKey(agent) });
      void navigate({ to: "/a/$agent/boards", params: { agent } });
    },
  );
  const filtered = Object.values(filter).some((value) => value !== "" && value !== 0);

  const change = (part: Partial<MaterialFilter>) => {
    void navigate({ search: (old) => materialsSearch({ ...old, ...part }), replace: true, resetScroll: false });
  };
  const clear = () => { void navigate({ search: {} }); };
  const open = (m: string | undefined) => {
    void navigate({ search: materialsSearch({ ...search, m }), replace: m !== undefined, resetScroll: false });
  };
  useSeenWhenOpen(search.m, behavior.seen);
  const place = materials.findIndex((m) => m.id === search.m);
  const findMore = writable && (
    <Button small onClick={() => { start.reset(); ask("any"); }}>
      <Icon name="plus" />
      {t("more.button")}
    </Button>
  );

  return (
    <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-3 px-4 py-3">
      <h1 className="sr-only">{t("title")}</h1>
      <div ref={top}>
        <MaterialFilters filter={filter} version={about?.geneVersion ?? 0} sources={sources} onChange={change} onClear={clear}>
          {findMore}
        </MaterialFilters>
      </div>
      <Searching agent={agent} runs={searching} />
      {fresh && (
        <p role="status" className="sticky top-2 z-10 flex items-center gap-3 justify-self-center rounded-full border border-line-strong bg-surface py-1 pl-4 pr-1 shadow-card">
          {t("list.fresh")}
          <Button small className="!rounded-full" onClick={() => { show(); top.current?.scrollIntoView(); }}>{t("list.show_fresh")}</Button>
        </p>
      )}
      {list.error && <Notice error={list.error} onRetry={() => { void list.refetch(); }} kept={list.data !== undefined} />}
      {list.isPending && <GridSkeleton />}
      {list.data && materials.length === 0 && (
        <Empty
          title={t(filtered ? "list.no_match" : "list.none")}
          next={t(filtered ? "list.no_match_next" : searching.length > 0 ? "list.none_searching" : "list.none_next")}
        >
          {filtered ? <Button onClick={clear}>{t("filter.clear")}</Button> : findMore}
        </Empty>
      )}
      {materials.length > 0 && (
        <>
          <MaterialGrid
            agent={agent}
            user={session.user.id}
            writable={writable}
            materials={materials}
            dismissed={behavior.dismissed}
            chosen={chosen.ids}
            covered={asked !== undefined || making || search.m !== undefined}
            onSeen={behavior.seen}
            onPassed={behavior.passed}
            onChoose={chosen.toggle}
            onDismiss={behavior.dismiss}
            onRestore={behavior.restore}
          />
          <More
            more={list.hasNextPage}
            busy={list.isFetchingNextPage}
            end={t("list.end", { n: materials.length })}
            label={t(list.isFetchingNextPage ? "list.loading_more" : "list.more")}
            onMore={() => { void list.fetchNextPage(); }}
          />
        </>
      )}
      <ChosenBar chosen={chosen.list} onToggle={chosen.toggle} onClear={chosen.clear} onMake={() => { make.reset(); setMaking(true); }} />
      <OrderBoard
        open={making}
        kind="first"
        chosen={chosen.list.map((m) => ({ id: m.id, title: m.title, poster: m.media.poster }))}
        busy={make.isPending}
        error={make.error}
        onClose={() => { setMaking(false); }}
        onStart={make.mutate}
      />
      {everAsked && (
        <Suspense>
          <FindMore agent={agent} find={asked} named={about?.sources ?? []} busy={start.isPending} error={start.error} onClose={() => { ask(undefined); }} onStart={start.send} />
        </Suspense>
      )}
      {search.m !== undefined && (
        <MaterialDialog
          agent={agent}
          id={search.m}
          user={session.user.id}
          writable={writable}
          chosen={chosen.ids.has(search.m)}
          onChoose={chosen.toggle}
          previous={place > 0 ? materials[place - 1]?.id : undefined}
          next={place >= 0 ? materials[place + 1]?.id : undefined}
          onOpen={open}
          onClose={() => { open(undefined); }}
        />
      )}
    </div>
  );
}

/** Starting a search. The same form sent again after a failure keeps its key, so that it cannot run twice. */
function useStart(agent: string, onStarted: () => void) {
  const queries = useQueryClient();
  const [sent, setSent] = useState<{ key: string; of: string }>({ key: "", of: "" });
  const start = useMutation({
    mutationFn: ({ key, search }: { key: string; search: NewSearch }) => commandRun(queries, agent, { key, do: "search", search }),
    onSuccess: () => {
      setSent({ key: "", of: "" });
      onStarted();
      return queries.invalidateQueries({ queryKey: runsKey(agent) });
    },
  });
  return {
    ...start,
    send: (search: NewSearch) => {
      const of = JSON.stringify(search);
      const key = sent.of === of ? sent.key : ulid();
      setSent({ key, of });
      start.mutate({ key, search });
    },
  };
}

/** An open material is looked at like one in the grid. */
function useSeenWhenOpen(id: string | undefined, seen: (id: string) => void) {
  useEffect(() => {
    if (id === undefined) return;
    const timer = setTimeout(() => { seen(id); }, seenAfter);
    return () => { clearTimeout(timer); };
  }, [id, seen]);
}
