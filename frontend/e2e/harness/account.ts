// A person without a browser: for what has no page yet, and for seeing what the
// server holds.
import { randomBytes } from "node:crypto";

import { messageOf, until } from "./checks";

/** Shapes of the API, as far as checks read them. */
export type Row = {
  seq: number;
  rev: number;
  side: "left" | "right" | "centre";
  type: string;
  ref?: string;
  actor: string;
  body: { text?: string; words?: string; reason?: string; turn?: string; taken_back?: boolean; blocks?: Block[] };
};
export type Block = { type: string; text?: string; ref?: string; tool?: string };
export type Card = { card: string; state: string; base_version: number; version?: number; closed_by?: string };
export type Run = { run: string; work: string; state: string; trigger: string; gene_version: number };
export type Panel = { number: number; caption: string; seconds: number; material?: string; from?: number; to?: number };
export type Board = { board: string; title: string; run: string; base?: string; panels: Panel[] };
export type Film = { film: string; board: string; run: string; media: { hash?: string; seconds?: number; width?: number; height?: number } };
export type Material = { material: string; title: string; state: string };

export class Account {
  private readonly cookies = new Map<string, string>();

  constructor(private readonly base: string) {}

  /** The cookies, for a browser context to go on with. */
  session(): { name: string; value: string; url: string }[] {
    return [...this.cookies].map(([name, value]) => ({ name, value, url: this.base }));
  }

  async signIn(name: string, password: string): Promise<void> {
    await this.post("/api/session", { name, password });
  }

  async get<T>(path: string): Promise<T> {
    return this.ask<T>("GET", path);
  }

  async post<T>(path: string, body: unknown = {}, key = ulid()): Promise<T> {
    return this.ask<T>("POST", path, JSON.stringify(body), key);
  }

  async put<T>(path: string, body: unknown = {}): Promise<T> {
    return this.ask<T>("PUT", path, JSON.stringify(body), ulid());
  }

  async send<T>(path: string, form: FormData): Promise<T> {
    return this.ask<T>("POST", path, form);
  }

  /** The status of a request, whatever it is. */
  async status(method: string, path: string, key = ulid()): Promise<number> {
    return (await this.fetch(method, path, "{}", key)).status;
  }

  /** Every row of a room, oldest first. */
  async rows(agent: string): Promise<Row[]> {
    const rows: Row[] = [];
    for (let before = 0; ; before = rows[0]?.seq ?? 0) {
      const page = await this.get<{ rows: Row[]; more: boolean }>(`/api/agents/${agent}/timeline?limit=200${before ? `&before=${before}` : ""}`);
      rows.unshift(...page.rows);
      if (!page.more) return rows;
    }
  }

  /** The last row that matches, once it is there. */
  async row(agent: string, what: string, matches: (row: Row) => boolean, within?: number): Promise<Row> {
    return until(what, async () => {
      const { rows } = await this.get<{ rows: Row[] }>(`/api/agents/${agent}/timeline?limit=200`);
      return rows.findLast(matches);
    }, within);
  }

  async cards(agent: string): Promise<Card[]> {
    return (await this.get<{ cards: Card[] }>(`/api/agents/${agent}/cards`)).cards;
  }

  async runs(agent: string): Promise<Run[]> {
    return (await this.get<{ runs: Run[] }>(`/api/agents/${agent}/runs`)).runs;
  }

  async materials(agent: string): Promise<Material[]> {
    return (await this.get<{ materials: Material[] }>(`/api/agents/${agent}/materials?limit=200`)).materials;
  }

  async boards(agent: string): Promise<Board[]> {
    return (await this.get<{ boards: Board[] }>(`/api/agents/${agent}/boards`)).boards;
  }

  async films(agent: string): Promise<Film[]> {
    return (await this.get<{ films: Film[] }>(`/api/agents/${agent}/films`)).films;
  }

  private async ask<T>(method: string, path: string, body?: string | FormData, key?: string): Promise<T> {
    const response = await this.fetch(method, path, body, key);
    const answer = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer}`);
    return (answer === "" ? undefined : JSON.parse(answer)) as T;
  }

  private async fetch(method: string, path: string, body?: string | FormData, key?: string): Promise<Response> {
    const headers = new Headers({ Cookie: [...this.cookies].map(([n, v]) => `${n}=${v}`).join("; ") });
    if (typeof body === "string") headers.set("Content-Type", "application/json");
    if (key !== undefined) headers.set("Idempotency-Key", key);
    const init: RequestInit = { method, headers };
    if (body !== undefined && method !== "GET") init.body = body;
    const response = await fetch(this.base + path, init).catch((error: unknown) => {
      throw new Error(`${method} ${path}: ${messageOf(error)}`);
    });
    for (const line of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (line.split(";")[0] ?? "").split(/=(.*)/);
      this.cookies.set(name, value);
    }
    return response;
  }
}

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A fresh ULID, for the key of a command. */
export function ulid(): string {
  let time = Date.now();
  let head = "";
  for (let i = 0; i < 10; i++) {
    head = alphabet.charAt(time % 32) + head;
    time = Math.floor(time / 32);
  }
  return head + Array.from(randomBytes(16), (byte) => alphabet.charAt(byte % 32)).join("");
}

/** The text of an answer, as it is recorded. */
export function answerText(row: Row): string {
  return (row.body.blocks ?? []).filter((b) => b.type === "text").map((b) => b.text ?? "").join("");
}
