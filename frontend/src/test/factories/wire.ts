// Answers of the server as it sends them, with what a test changes.

export const session = (more: object = {}) => ({
  user: { id: "01JDZ0000000000000000000A1", name: "林", admin: true },
  products: [{ id: "demo", name: "游戏一部" }],
  model: { name: "rehearsal", rehearsal: true },
  version: "dev",
  limits: limits(),
  sources: searchables(),
  ...more,
});

/** What a session says that work may cost. */
export const limits = (more: object = {}) => ({ run_cost_yuan: 3, competitor_searches: 2, competitor_minutes: 8, hot_minutes: 30, ...more });

/** Where agents can search: the competitor bridge is configured, the deep-search engine is not. */
export const searchables = () => [
  { name: "fast", configured: true, platforms: ["tiktok", "douyin"] },
  { name: "competitor", configured: true, price_yuan: 1.5 },
  { name: "hot", configured: false },
];

export const agent = (more: object = {}) => ({
  product: "demo",
  agent: "01JDZ0000000000000000000B1",
  name: "末日塔防",
  brief: "塔防手游的买量素材",
  archived: false,
  gene_version: 5,
  last_activity: "2026-11-30T10:42:00Z",
  waiting_cards: 1,
  waiting_orders: 1,
  running_tasks: 2,
  ...more,
});

/** One agent as its own address answers it. */
export const agentView = (more: object = {}) => ({
  ...agent(),
  creator: "01JDZ0000000000000000000A1",
  members: {},
  sources: ["fast"],
  daily: false,
  created_at: "2026-11-01T08:00:00Z",
  seq: 12,
  rev: 40,
  role: "creator",
  people: { "01JDZ0000000000000000000A1": "林" },
  counts: { materials: 41, new: 7, boards: 0, films: 0, assets: 0 },
  read: { seq: 30, unread: 2 },
  ...more,
});

/** A page of a room's timeline. */
export const timeline = (more: object = {}) => ({ rows: [], people: {}, more: false, ...more });

export const build = (more: object = {}) => ({
  projection: "tasks",
  version: 1,
  generation: 4,
  purpose: "rebuild",
  state: "running",
  seq: 50_000,
  target: 200_000,
  rate: 25_000,
  eta: 6,
  process: "host:7",
  started_at: "2026-11-30T10:42:00Z",
  updated_at: "2026-11-30T10:42:02Z",
  ...more,
});

export const system = (more: object = {}) => ({
  version: "dev",
  model: { name: "rehearsal", rehearsal: true },
  log: { last: 1204, stream: "EVENTS", created: "2026-11-01T08:00:00Z" },
  projections: [
    { name: "timeline", version: 1, generation: 3, position: 1204, lag: 0, status: "running", parked: 0, updated_at: "2026-11-30T10:42:00Z" },
    { name: "tasks", version: 1, generation: 3, position: 1200, lag: 4, status: "building", parked: 0, updated_at: "2026-11-30T10:42:00Z" },
  ],
  builds: [],
  refused: {},
  ...more,
});

export const parked = (more: object = {}) => ({
  projection: "timeline",
  product: "demo",
  agent: "01JDZ0000000000000000000B1",
  agent_name: "末日塔防",
  seq: 1100,
  event: "01JDZ0000000000000000000E7",
  type: "chat.said",
  error: "truncated",
  waiting: 12,
  ...more,
});

export const streams = () => ({
  streams: [
    {
      name: "EVENTS", messages: 1204, bytes: 1_234_567, first: 1, last: 1204, created: "2026-11-01T08:00:00Z", replicas: 1,
      consumers: [{ name: "sozai-dispatch", pending: 3, ack_pending: 1, redelivered: 2, waiting: 0, delivered: 1201, ack_floor: 1200 }],
    },
    { name: "TIMERS", messages: 0, bytes: 0, first: 1, last: 0, created: "2026-11-01T08:00:00Z", replicas: 1, consumers: [] },
  ],
});

export const slot = (more: object = {}) => ({
  work: "search",
  product: "demo",
  agent: "01JDZ0000000000000000000B1",
  agent_name: "末日塔防",
  run: "01JDZ0000000000000000000D1",
  state: "working",
  worker: "host-7",
  attempt: 2,
  offered_at: "2026-11-30T10:41:00Z",
  started_at: "2026-11-30T10:42:00Z",
  ...more,
});

export const work = (slots: object[] = []) => ({ slots, waiting: 1, working: 2, more: 0, alive: 15 });

/** Outside services: one that rests, one that is not configured, and a call of unknown end. */
export const sources = (more: object = {}) => ({
  sources: [
    { name: "tikhub", kind: "search", configured: true, state: "open", since: "2026-11-30T10:40:00Z", last_ok: "2026-11-30T10:39:00Z", last_error: "503 from the service", last_error_at: "2026-11-30T10:40:00Z", calls: 41, failures: 5, cost_yuan: 1.25, until: "2026-11-30T10:45:00Z" },
    { name: "render", kind: "render", configured: false, state: "off", calls: 0, failures: 0, cost_yuan: 0 },
  ],
  unknown: [{ key: "tikhub/douyin/search/demo/r1/ab", kind: "tikhub", product: "demo", agent: "01JDZ0000000000000000000B1", agent_name: "末日塔防", run: "01JDZ0000000000000000000D1", attempt: 1, worker: "vm-7", error: "the attempt ended in between", intended_at: "2026-11-30T10:41:00Z" }],
  unknown_total: 3,
  ...more,
});
