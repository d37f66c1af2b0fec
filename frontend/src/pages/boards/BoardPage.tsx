import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type ReactElement, useState } from "react";
import { useTranslation } from "react-i18next";

import { BoardEditor } from "../../components/board/BoardEditor";
import { keptPanels } from "../../components/board/kept";
import { OrderBoard } from "../../components/board/OrderBoard";
import { OrderFilm } from "../../components/board/OrderFilm";
import { PanelCard } from "../../components/board/PanelCard";
import { PanelStrip } from "../../components/board/PanelStrip";
import { useSession } from "../../components/frame/session";
import { Said } from "../../components/material/Said";
import { MadePill } from "../../components/run/MadePill";
import { OpenRuns } from "../../components/run/OpenRuns";
import { useMade } from "../../components/run/useMade";
import { Button } from "../../components/ui/Button";
import { Icon } from "../../components/ui/Icon";
import { Notice } from "../../components/ui/Notice";
import { Skeleton } from "../../components/ui/Skeleton";
import { agentQuery, mayWrite } from "../../services/agents";
import { boardQuery, textOfBoard } from "../../services/boards";
import { objectFeedbackQuery } from "../../services/feedback";
import { geneQuery } from "../../services/genes";
import { openRunsQuery } from "../../services/runs";
import { BoardHead, Lineage } from "./BoardHead";
import { useBoardCommands } from "./useBoardCommands";

/** /a/$agent/boards/$board: one storyboard, panel by panel. */
export function BoardPage(): ReactElement {
  const { agent, board: id } = useParams({ from: "/signed/a/$agent/boards/$board" });
  return <Board key={id} agent={agent} id={id} />;
}

function Board({ agent, id }: { agent: string; id: string }) {
  const { t } = useTranslation("boards");
  const { panel: current = 0 } = useSearch({ from: "/signed/a/$agent/boards/$board" });
  const navigate = useNavigate({ from: "/a/$agent/boards/$board" });
  const session = useSession();
  const about = useQuery(agentQuery(agent)).data;
  const detail = useQuery(boardQuery(agent, id));
  const said = useQuery(objectFeedbackQuery(agent, { type: "board", id }));
  const limits = useQuery(geneQuery(agent)).data?.constraints ?? { maxFilmSeconds: 0, aspect: "" };
  const open = [...(useQuery(openRunsQuery(agent, "board")).data ?? []), ...(useQuery(openRunsQuery(agent, "film")).data ?? [])];
  const { made, forget } = useMade(id);
  const [asking, setAsking] = useState<"film" | "again" | "edit" | null>(null);
  const { edit, undo, again, film, before } = useBoardCommands(agent, id, () => { setAsking(null); });
  const writable = about !== undefined && mayWrite(about, session);
  const board = detail.data;
  const feedback = said.data ?? [];
  const kept = keptPanels(feedback);
  const pick = (panel: number) => { void navigate({ search: { panel }, replace: true, resetScroll: false }); };
  const ask = (what: typeof asking) => {
    for (const command of [edit, undo, again, film]) command.reset();
    setAsking(what);
  };

  if (detail.error && !board) {
    return (
      <div className="grid gap-3 px-4 py-3">
        <Notice error={detail.error} onRetry={() => { void detail.refetch(); }} />
        <AllBoards agent={agent} />
      </div>
    );
  }
  if (!board) return <div className="px-4 py-3"><Skeleton rows={3} height={140} /></div>;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-4 px-4 py-3">
      <AllBoards agent={agent} />
      {detail.error && <Notice error={detail.error} onRetry={() => { void detail.refetch(); }} kept />}
      <BoardHead agent={agent} board={board} feedback={feedback} maxSeconds={limits.maxFilmSeconds} {...(writable ? { user: session.user.id } : {})}>
        {writable && asking !== "edit" && (
          <>
            <Button look="primary" onClick={() => { ask("film"); }}>{t("film.button")}</Button>
            <Button onClick={() => { ask("again"); }}>{t("order.again_button")}</Button>
            <Button onClick={() => { ask("edit"); }}>
              <Icon name="edit" />
              {t("edit.button")}
            </Button>
          </>
        )}
      </BoardHead>
      <OpenRuns agent={agent} runs={open} />
      <MadePill agent={agent} made={made} onForget={forget} />
      {before && asking !== "edit" && (
        <p role="status" className="flex flex-wrap items-center gap-3 rounded-control bg-sunken px-3 py-1.5 text-sm">
          {t("edit.saved")}
          <Button small aria-disabled={undo.isPending} onClick={() => { if (!undo.isPending) undo.mutate({ ...before, rev: board.rev }); }}>
            <Icon name="undo" />
            {undo.isPending ? t("edit.saving") : t("edit.undo")}
          </Button>
        </p>
      )}
      {undo.error && <Notice error={undo.error} onRetry={() => { if (before) undo.mutate({ ...before, rev: board.rev }); }} />}
      {asking === "edit" ? (
        <BoardEditor text={textOfBoard(board)} clips={board.clips} maxSeconds={limits.maxFilmSeconds} busy={edit.isPending} error={edit.error} onSave={(text, was) => { edit.mutate({ text, was, rev: board.rev }); }} onCancel={() => { setAsking(null); }} />
      ) : (
        <>
          <PanelStrip panels={board.panels} current={current} onPick={(panel) => { pick(panel.number); }} />
          <ol className="grid grid-cols-[repeat(auto-fill,minmax(200px,1fr))] gap-3.5 max-sm:grid-cols-1">
            {board.panels.map((panel) => (
              <li key={panel.number}>
                <PanelCard
                  agent={agent}
                  board={id}
                  panel={panel}
                  clip={board.clips[panel.material]}
                  feedback={feedback}
                  kept={kept.includes(panel.number)}
                  current={panel.number === current}
                  {...(writable ? { user: session.user.id } : {})}
                />
              </li>
            ))}
          </ol>
        </>
      )}
      <div className="grid gap-6 md:grid-cols-2">
        <Said
          agent={agent}
          object={{ type: "board", id }}
          user={session.user.id}
          writable={writable}
          of="page"
          place={(f) => f.panel > 0 && (
            <button type="button" className="text-muted underline underline-offset-3 hover:text-text" onClick={() => { pick(f.panel); }}>{t("panel.label", { n: f.panel })}</button>
          )}
        />
        <Lineage agent={agent} board={board} />
      </div>
      <OrderFilm open={asking === "film"} board={board} aspect={limits.aspect} busy={film.isPending} error={film.error} onClose={() => { setAsking(null); }} onStart={() => { film.mutate(id); }} />
      <OrderBoard open={asking === "again"} kind="again" kept={kept} busy={again.isPending} error={again.error} onClose={() => { setAsking(null); }} onStart={again.mutate} />
    </div>
  );
}

function AllBoards({ agent }: { agent: string }) {
  const { t } = useTranslation("boards");
  return (
    <Link to="/a/$agent/boards" params={{ agent }} className="inline-flex min-h-6 items-center gap-1 justify-self-start text-sm text-muted hover:text-text pointer-coarse:min-h-10">
      <Icon name="chevronLeft" />
      {t("all")}
    </Link>
  );
}
