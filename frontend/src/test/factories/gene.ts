import type { Version } from "../../services/genes";

/** A version as the program knows it. */
export const version = (more: Partial<Version> = {}): Version => ({
  version: 1,
  search: "",
  steer: "",
  constraints: { maxFilmSeconds: 30, aspect: "9:16" },
  origin: "edit",
  summary: "",
  by: "user:01JDZ0000000000000000000A1",
  proposedBy: "",
  card: "",
  rolledBackTo: 0,
  at: new Date("2026-11-30T10:00:00Z"),
  ...more,
});

// Answers of the server as it sends them, with what a test changes.

const lin = "user:01JDZ0000000000000000000A1";
const people = { "01JDZ0000000000000000000A1": "林", "01JDZ0000000000000000000A2": "周" };

const line = (n: number, text: string, by: string, own = "") => ({ n, text, by, role: by.startsWith("user:") ? "person" : "butler", ...(own ? { own } : {}) });

export const search = "中世纪攻城\n优先集体混战、高空视角\n远景爆炸\n结尾保留修复镜头";
export const steer = "开头三秒就是危机\n一个镜头不超过两秒";

export const gene = (more: object = {}) => ({
  version: 5,
  search: {
    text: search,
    lines: [line(1, "中世纪攻城", lin, "中世纪攻城"), line(2, "优先集体混战、高空视角", "butler:01JDZ0000000000000000000T1"), line(3, "远景爆炸", "butler:01JDZ0000000000000000000T1"), line(4, "结尾保留修复镜头", "user:01JDZ0000000000000000000A2", "结尾保留修复镜头")],
  },
  steer: { text: steer, lines: [line(1, "开头三秒就是危机", lin, "开头三秒就是危机"), line(2, "一个镜头不超过两秒", "butler:01JDZ0000000000000000000T1")] },
  constraints: { max_film_seconds: 30, aspect: "9:16" },
  people,
  ...more,
});

export const wireVersion = (more: object = {}) => ({
  version: 5,
  base_version: 4,
  search,
  steer,
  constraints: { max_film_seconds: 30, aspect: "9:16" },
  origin: "card",
  summary: "开头更快",
  by: lin,
  proposed_by: "butler:01JDZ0000000000000000000T1",
  card: "01JDZ0000000000000000000C0",
  at: "2026-11-27T10:00:00Z",
  seq: 900,
  ...more,
});

export const cardState = (more: object = {}) => ({
  card: "01JDZ0000000000000000000C1",
  state: "pending",
  base_version: 5,
  documents: ["search", "constraints"],
  summary: "前三秒至少两刀，爆炸给近景",
  reason: "周说节奏太慢，镜头太远",
  by: "butler:01JDZ0000000000000000000T1",
  proposed_at: "2026-11-30T10:42:00Z",
  expires: "2026-12-07T10:42:00Z",
  ...more,
});

export const card = (more: object = {}) => {
  return {
    ...{ ...cardState(), documents: undefined },
    search: "中世纪攻城\n优先前三秒至少两刀的集体混战、高空视角\n近景爆炸，碎片扑向镜头\n结尾保留修复镜头",
    constraints: { max_film_seconds: 20, aspect: "9:16" },
    evidence: [{ type: "material", id: "01JDZ0000000000000000000M1" }],
    feedback: [{ feedback: "01JDZ0000000000000000000F1", document: "search" }],
    seq: 1000,
    rev: 1000,
    base: wireVersion(),
    people,
    ...more,
  };
};

const rate = (name: string, n: number, of: number, low: number, high: number, verdict?: string) => ({ name, value: of === 0 ? 0 : n / of, low, high, n, of, ...(verdict ? { verdict } : {}) });

export const scores = (more: object = {}) => ({
  versions: [
    { version: 5, rates: [rate("adopted_of_shown", 9, 38, 0.13, 0.39, "no_difference"), rate("ignored_of_shown", 3, 38, 0.02, 0.2)] },
    { version: 4, rates: [rate("adopted_of_shown", 80, 389, 0.17, 0.25)] },
    { version: 3, rates: [rate("adopted_of_shown", 31, 296, 0.07, 0.14, "worse")] },
    { version: 2, rates: [rate("adopted_of_shown", 1, 12, 0.01, 0.35, "not_enough")] },
  ],
  baseline: 4,
  min_sample: 30,
  as_of: 1200,
  ...more,
});

export const order = (more: object = {}) => ({
  order: "01JDZ0000000000000000000D1",
  state: "pending",
  work: "search",
  request: { what: "再找一批近景爆炸", why: "现有素材镜头太远", source: "fast", target: 12, cost_hint: 1_500_000, cites: [{ type: "material", id: "01JDZ0000000000000000000M1" }] },
  by: "butler:01JDZ0000000000000000000T1",
  proposed_at: "2026-11-30T10:42:00Z",
  expires: "2026-12-07T10:42:00Z",
  ...more,
});
