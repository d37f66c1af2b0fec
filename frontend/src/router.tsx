import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet, redirect, type RouterHistory } from "@tanstack/react-router";

import { isPhone } from "./components/ui/usePhone";
import { agentsSearch } from "./pages/agents/search";
import { boardSearch } from "./pages/boards/search";
import { filmSearch } from "./pages/films/search";
import { geneSearch } from "./pages/gene/search";
import { materialsSearch } from "./pages/materials/search";
import { NotFoundPage } from "./pages/notfound/NotFoundPage";
import { pastSearch } from "./pages/past/search";
import { tasksSearch } from "./pages/tasks/search";

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage });

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/signin",
  component: lazyRouteComponent(() => import("./pages/signin/SignInPage"), "SignInPage"),
});
const link = createRoute({
  getParentRoute: () => root,
  path: "/link/$token",
  component: lazyRouteComponent(() => import("./pages/link/LinkPage"), "LinkPage"),
});

// Everything below is for somebody who is signed in.
const signed = createRoute({
  getParentRoute: () => root,
  id: "signed",
  component: lazyRouteComponent(() => import("./components/frame/Signed"), "Signed"),
});
const agents = createRoute({
  getParentRoute: () => signed,
  path: "/",
  validateSearch: agentsSearch,
  component: lazyRouteComponent(() => import("./pages/agents/AgentsPage"), "AgentsPage"),
});
const system = createRoute({
  getParentRoute: () => signed,
  path: "/system",
  component: lazyRouteComponent(() => import("./pages/system/SystemPage"), "SystemPage"),
});

// One agent: tabs on the left, its room on the right; on a phone the room is a tab too.
const agent = createRoute({
  getParentRoute: () => signed,
  path: "/a/$agent",
  component: lazyRouteComponent(() => import("./components/frame/AgentFrame"), "AgentFrame"),
});
const first = createRoute({
  getParentRoute: () => agent,
  path: "/",
  beforeLoad: ({ params }) => {
    throw redirect({ to: isPhone() ? "/a/$agent/room" : "/a/$agent/materials", params, replace: true });
  },
});
const room = createRoute({ getParentRoute: () => agent, path: "/room" });
const materials = createRoute({
  getParentRoute: () => agent,
  path: "/materials",
  validateSearch: materialsSearch,
  component: lazyRouteComponent(() => import("./pages/materials/MaterialsPage"), "MaterialsPage"),
});
const boards = createRoute({
  getParentRoute: () => agent,
  path: "/boards",
  component: lazyRouteComponent(() => import("./pages/boards/BoardsPage"), "BoardsPage"),
});
const board = createRoute({
  getParentRoute: () => agent,
  path: "/boards/$board",
  validateSearch: boardSearch,
  component: lazyRouteComponent(() => import("./pages/boards/BoardPage"), "BoardPage"),
});
const films = createRoute({
  getParentRoute: () => agent,
  path: "/films",
  component: lazyRouteComponent(() => import("./pages/films/FilmsPage"), "FilmsPage"),
});
const film = createRoute({
  getParentRoute: () => agent,
  path: "/films/$film",
  validateSearch: filmSearch,
  component: lazyRouteComponent(() => import("./pages/films/FilmPage"), "FilmPage"),
});
const gene = createRoute({
  getParentRoute: () => agent,
  path: "/gene",
  validateSearch: geneSearch,
  component: lazyRouteComponent(() => import("./pages/gene/GenePage"), "GenePage"),
});
const tasks = createRoute({
  getParentRoute: () => agent,
  path: "/tasks",
  validateSearch: tasksSearch,
  component: lazyRouteComponent(() => import("./pages/tasks/TasksPage"), "TasksPage"),
});

const past = createRoute({
  getParentRoute: () => agent,
  path: "/past",
  validateSearch: pastSearch,
  component: lazyRouteComponent(() => import("./pages/past/PastPage"), "PastPage"),
});

// The one list of pages.
const routes = root.addChildren([signIn, link, signed.addChildren([agents, system, agent.addChildren([first, room, materials, boards, board, films, film, gene, tasks, past])])]);

/** history is the browser's unless a test brings its own. */
export function makeRouter(history?: RouterHistory) {
  return createRouter({ routeTree: routes, defaultPreload: "intent", ...(history ? { history } : {}) });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
