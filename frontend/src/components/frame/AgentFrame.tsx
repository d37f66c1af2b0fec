import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, Navigate, Outlet, useMatchRoute, useParams } from "@tanstack/react-router";
import { lazy, type ReactElement, Suspense, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";

import { RoomProvider } from "../../live/RoomProvider";
import { useRoom, useRoomFrames, useRoomStore } from "../../live/useRoom";
import { type AgentDetail, agentQuery, mayWrite } from "../../services/agents";
import { Problem } from "../../services/api";
import { MadeContext, useFollowRuns } from "../run/useMade";
import { IconButton } from "../ui/Button";
import { Empty } from "../ui/Empty";
import { Notice } from "../ui/Notice";
import { Skeleton } from "../ui/Skeleton";
import { usePhone } from "../ui/usePhone";
import { AgentTabs, RoomDot } from "./AgentTabs";
import { Drawer } from "./Drawer";
import { LiveState } from "./LiveState";
import { Presence } from "./Presence";
import { useSession } from "./session";
import { useFreshCount } from "./shelfMark";
import { useRoomMove } from "./Shortcuts";
import { TopBar } from "./TopBar";
import { useDrawer } from "./useDrawer";

const RoomDrawer = lazy(async () => ({ default: (await import("../room/RoomDrawer")).RoomDrawer }));

/** /a/$agent: the pages of one agent with its room beside them. */
export function AgentFrame(): ReactElement {
  const { agent: id } = useParams({ from: "/signed/a/$agent" });
  const agent = useQuery(agentQuery(id));
  if (agent.error instanceof Problem && ["not_found", "forbidden"].includes(agent.error.code)) return <Gone />;
  return (
    <RoomProvider agent={id} key={id}>
      <Whole id={id} agent={agent.data} error={agent.error} onRetry={() => { void agent.refetch(); }} />
    </RoomProvider>
  );
}

type Props = { id: string; agent: AgentDetail | undefined; error: Error | null; onRetry: () => void };

function Whole({ id, agent, error, onRetry }: Props) {
  const { t } = useTranslation();
  const session = useSession();
  const phone = usePhone();
  const inRoom = useMatchRoute()({ to: "/a/$agent/room", params: { agent: id } }) !== false;
  const [drawer, setDrawer] = useDrawer();
  const status = useRoom((room) => room.status);
  useFreshAgent(id);
  const made = useFollowRuns(id);
  const freshBoards = useFreshCount(session.user.id, id, "boards", agent?.counts.boards ?? 0);
  const freshFilms = useFreshCount(session.user.id, id, "films", agent?.counts.films ?? 0);

  const running = status?.runs ?? agent?.running ?? 0;
  const waiting = status ? status.cards + status.orders : (agent?.waiting ?? 0);
  const dot = { news: (agent?.read.unread ?? 0) > 0, waiting };
  const notice = agent && !mayWrite(agent, session) ? t(agent.archived ? "frame.archived" : "frame.viewer") : null;

  if (!phone && inRoom) return <Navigate to="/a/$agent/materials" params={{ agent: id }} replace />;
  return (
    <div className="flex h-dvh flex-col">
      <title>{agent ? `${agent.name} · ${t("app.name")}` : t("app.name")}</title>
      <TopBar product={agent?.product} agent={{ id, detail: agent }}>
        <RoomSlots />
      </TopBar>
      {error && <div className="px-4 py-2"><Notice error={error} onRetry={onRetry} kept={agent !== undefined} /></div>}
      {notice !== null && <p className="border-b border-line bg-warn-ground px-4 py-1 text-sm text-warn">{notice}</p>}
      <div className="flex min-h-0 flex-1">
        <div className="flex min-w-0 flex-1 flex-col">
          <AgentTabs
            agent={id}
            name={agent?.name ?? ""}
            materials={agent && { all: agent.counts.materials, fresh: agent.counts.fresh }}
            boards={agent && { all: agent.counts.boards, fresh: freshBoards }}
            films={agent && { all: agent.counts.films, fresh: freshFilms }}
            geneVersion={agent?.geneVersion}
            running={running}
            room={phone ? dot : null}
          >
            {!phone && <DrawerToggle open={drawer.open} dot={dot} onChange={(open) => { setDrawer({ open }); }} />}
          </AgentTabs>
          <main id="content" tabIndex={-1} className={`relative min-h-0 flex-1 outline-none ${inRoom ? "flex flex-col overflow-hidden bg-surface" : "overflow-y-auto"}`}>
            {inRoom ? (
              <>
                <h1 className="sr-only">{agent ? `${agent.name} · ${t("frame.room")}` : t("frame.room")}</h1>
                <Room agent={id} />
              </>
            ) : (
              <MadeContext value={made}>
                <Outlet />
              </MadeContext>
            )}
          </main>
        </div>
        {!phone && drawer.open && (
          <Drawer width={drawer.width} onWidth={(width) => { setDrawer({ width }); }}>
            <Room agent={id} />
          </Drawer>
        )}
      </div>
      {!phone && <RoomKey onOpen={() => { setDrawer({ open: true }); }} />}
    </div>
  );
}

function Room({ agent }: { agent: string }) {
  return (
    <div data-room className="flex min-h-0 flex-1 flex-col">
      <Suspense fallback={<div className="p-4"><Skeleton rows={4} height={56} /></div>}>
        <RoomDrawer agent={agent} />
      </Suspense>
    </div>
  );
}

/** Where the room is a column, moving there opens it and goes to what one writes in. */
function RoomKey({ onOpen }: { onOpen: () => void }) {
  useRoomMove(() => {
    onOpen();
    requestAnimationFrame(() => { document.querySelector<HTMLElement>("[data-room] textarea")?.focus(); });
  });
  return null;
}

function DrawerToggle({ open, dot, onChange }: { open: boolean; dot: { news: boolean; waiting: number }; onChange: (open: boolean) => void }) {
  const { t } = useTranslation();
  return (
    <span className="mb-1.5 ml-2 flex items-center gap-1">
      <IconButton
        icon={open ? "closePanel" : "openPanel"}
        label={t(open ? "frame.close_room" : "frame.open_room")}
        {...(open ? {} : { hint: "g r" })}
        aria-expanded={open}
        onClick={() => { onChange(!open); }}
      />
      {!open && <RoomDot {...dot} />}
    </span>
  );
}

function RoomSlots() {
  const connection = useRoom((room) => room.connection);
  const people = useRoom((room) => room.presence);
  const { retry } = useRoomStore();
  return (
    <>
      <LiveState connection={connection} onRetry={retry} />
      <Presence people={people} />
    </>
  );
}

/** Reads the agent again soon after something happened in it, at most once a second. */
function useFreshAgent(id: string) {
  const queries = useQueryClient();
  const timer = useRef<number | undefined>(undefined);
  const soon = () => {
    timer.current ??= window.setTimeout(() => {
      timer.current = undefined;
      void queries.invalidateQueries({ queryKey: agentQuery(id).queryKey });
    }, 1000);
  };
  useRoomFrames("timeline.entry", soon);
  useRoomFrames("run.progress", soon);
  useRoomFrames("gene.card", soon);
  useRoomFrames("gene.card.resolved", soon);
  useRoomFrames("sync", soon);
  useEffect(() => () => {
    clearTimeout(timer.current);
    timer.current = undefined;
  }, []);
}

function Gone() {
  const { t } = useTranslation();
  return (
    <div className="flex h-dvh flex-col">
      <TopBar product={undefined} />
      <main id="content" tabIndex={-1} className="mx-auto w-full max-w-xl px-4 py-16 outline-none">
        <h1 className="sr-only">{t("frame.gone")}</h1>
        <Empty title={t("frame.gone")} next={t("frame.gone_next")}>
          <Link to="/" className="inline-flex min-h-10 items-center underline underline-offset-4">{t("frame.home")}</Link>
        </Empty>
      </main>
    </div>
  );
}
