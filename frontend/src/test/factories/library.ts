// Materials, feedback and runs as the server sends them, with what a test changes.

export const material = (more: object = {}) => ({
  material: "01JDZ0000000000000000000M1",
  seq: 38,
  rev: 39,
  run: "01JDZ0000000000000000000R1",
  gene_version: 5,
  source: "fast",
  external: "x1",
  title: "整座石桥一拱一拱炸开",
  author: "creator-014",
  platform: "douyin",
  tags: ["爆炸"],
  counts: { plays: 12_000 },
  media: { hash: "ab".repeat(32), seconds: 7.6, width: 360, height: 640, poster: true, preview: true, has_sound: true },
  why: "对得上：石桥、爆炸",
  saved_at: "2026-11-30T10:00:00Z",
  analysis: {
    analyser: "local-ffmpeg",
    ruleset: 1,
    digest: { shot_rhythm: "5 个镜头", spoken_hook: "无", captions: "碎石扑面", highlight: "high", highlight_why: "得 4/5 分", verdict: "无", missing: ["spoken_hook", "verdict"] },
    metrics: {
      duration: 7.6, cuts: [1.2, 2.9], shot_count: 3, average_shot: 2.5, cuts_per_minute: 15.8, first_cut: 1.2, cuts_first_3s: 2,
      motion: 2.2, loudness_lufs: null, silence_ratio: null, sound_onset: null, black_ratio: 0, aspect: "9:16",
    },
    at: "2026-11-30T10:00:00Z",
  },
  rating: "high",
  state: "new",
  boards: 0,
  films: 0,
  likes: 0,
  dislikes: 0,
  comments: 0,
  ...more,
});

/** Imported from a list: no file, no analysis. */
export const listed = (more: object = {}) => material({ media: {}, analysis: undefined, rating: "", url: "https://example.org/v/1", ...more });

export const feedback = (more: object = {}) => ({
  feedback: "01JDZ0000000000000000000F1",
  state: "open",
  object: { type: "material", id: "01JDZ0000000000000000000M1" },
  verdict: "like",
  strong: false,
  by: "01JDZ0000000000000000000A1",
  written_by: "user:01JDZ0000000000000000000A1",
  at: "2026-11-30T10:30:00Z",
  seq: 50,
  ...more,
});

export const usage = { known: true, input: 100, cache_write: 100, cache_read: 600, output: 50 };

export const run = (more: object = {}) => ({
  product: "demo",
  agent: "01JDZ0000000000000000000B1",
  run: "01JDZ0000000000000000000R1",
  seq: 3,
  rev: 42,
  work: "search",
  trigger: "hand",
  state: "running",
  request: { what: "近景爆炸" },
  requester: "user:01JDZ0000000000000000000A1",
  requested_at: "2026-11-30T10:00:00Z",
  started_at: "2026-11-30T10:00:01Z",
  last_sign: "2026-11-30T10:00:09Z",
  gene_version: 5,
  attempt: 1,
  lost: 0,
  progress: { done: 7, target: 12, unit: "materials", page: 3, pages: 12 },
  rounds: 2,
  usage,
  cost_yuan: 0.84,
  ...more,
});

const call = { id: "c1", tool: "search_fast", input: '{"query":"爆炸"}', output: '{"total":8}', outcome: "ok", seconds: 0.4 };

export const runDetail = (more: object = {}) => ({
  ...run(),
  attempts: [{ attempt: 1, slot: 1, worker: "worker:vm-1", started_at: "2026-11-30T10:00:01Z", rounds: 2, usage, cost_yuan: 0.84 }],
  steps: [
    { seq: 6, at: "2026-11-30T10:00:03Z", attempt: 1, round: 1, model: "rehearsal", prompt: "p", stop: "tool_use", usage, cost: 420_000, why: "先找爆炸", calls: [call] },
    { seq: 7, at: "2026-11-30T10:00:06Z", attempt: 1, round: 2, model: "rehearsal", prompt: "p", stop: "tool_use", usage: { ...usage, known: false }, cost: 420_000, calls: [{ ...call, id: "c2", outcome: "error" }] },
  ],
  ...more,
});

const panel = (number: number, more: object = {}) => ({ number, caption: `第 ${number} 句字幕`, seconds: 2, material: "01JDZ0000000000000000000M1", from: number, to: number + 2, ...more });

export const board = (more: object = {}) => ({
  board: "01JDZ0000000000000000000K1",
  seq: 60,
  rev: 60,
  run: "01JDZ0000000000000000000R2",
  gene_version: 5,
  title: "石桥逐拱炸开",
  panels: [1, 2, 3, 4, 5].map((n) => panel(n)),
  at: "2026-11-30T10:20:00Z",
  films: 1,
  likes: 0,
  dislikes: 0,
  comments: 0,
  ...more,
});

/** What panels are cut from. */
export const clips = () => ({
  "01JDZ0000000000000000000M1": { type: "material", title: "整座石桥一拱一拱炸开", platform: "douyin", source: "fast", hash: "ab".repeat(32), poster: true, preview: true, seconds: 7.6, rating: "high" },
});

export const film = (more: object = {}) => ({
  film: "01JDZ0000000000000000000L1",
  seq: 70,
  rev: 70,
  board: "01JDZ0000000000000000000K1",
  run: "01JDZ0000000000000000000R3",
  gene_version: 5,
  media: { hash: "cd".repeat(32), type: "video/mp4", seconds: 10, width: 720, height: 1280, poster: true, preview: true, has_sound: true },
  at: "2026-11-30T10:25:00Z",
  downloads: 2,
  likes: 0,
  dislikes: 0,
  comments: 0,
  ...more,
});

export const boardView = (more: object = {}) => ({
  ...board(),
  seconds: 10,
  max_seconds: 15,
  materials: clips(),
  feedback: [],
  film_list: [film()],
  versions: [{ board: board().board, title: board().title, gene_version: 5, at: board().at, films: 1 }],
  people: {},
  ...more,
});

export const filmView = (more: object = {}) => ({
  ...film(),
  title: board().title,
  made_from: board(),
  materials: clips(),
  feedback: [],
  versions: [{ ...film({ film: "01JDZ0000000000000000000L2", seq: 80 }), title: "石桥逐拱炸开 二" }, { ...film(), title: board().title }],
  people: {},
  ...more,
});
