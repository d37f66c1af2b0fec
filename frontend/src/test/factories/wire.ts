// Answers of the server as it sends them, with what a test changes.

export const session = (more: object = {}) => ({
  user: { id: "01JDZ0000000000000000000A1", name: "林", admin: true },
  products: [{ id: "demo", name: "游戏一部" }],
  model: { name: "rehearsal", rehearsal: true },
  version: "dev",
  ...more,
});

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

export const system = (more: object = {}) => ({
  log: { last: 1204 },
  projections: [
    { name: "timeline", position: 1204, lag: 0, status: "running", parked: 0 },
    { name: "tasks", position: 1200, lag: 4, status: "building", parked: 0 },
  ],
  ...more,
});
