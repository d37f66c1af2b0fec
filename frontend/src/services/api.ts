// The one way to the server. Every refusal becomes a Problem, whatever broke.

export type FieldProblem = { location: string; message: string };

type ProblemBody = {
  code: string;
  reason?: string;
  detail: string;
  details?: Record<string, unknown>;
  errors?: FieldProblem[];
  id?: string;
};

/** Code of a request that got no answer at all. */
export const offline = "offline";

/** A refusal in the server's words (RFC 9457), or what stands in for one. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  /** Stable word for this very refusal; empty when there is none. */
  readonly reason: string;
  readonly details: Record<string, unknown>;
  readonly fields: FieldProblem[];
  /** Seconds to wait, 0 when not said. */
  readonly retryAfter: number;
  /** Of an internal error: finds it in the server's log. */
  readonly id: string;

  constructor(status: number, body: ProblemBody, retryAfter = 0) {
    super(body.detail);
    this.name = "Problem";
    this.status = status;
    this.code = body.code;
    this.reason = body.reason ?? "";
    this.details = body.details ?? {};
    this.fields = body.errors ?? [];
    this.retryAfter = retryAfter;
    this.id = body.id ?? "";
  }
}

export type Request = {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  body?: unknown;
  /** Key of a command: the same key again is harmless and gets the first answer. */
  command?: string;
  signal?: AbortSignal;
};

/** A command that was turned away for a moment no longer than this (seconds) is sent once more by itself. */
const patience = 5;

/** Asks the server; undefined for an answer without a body. Rejects with a Problem only, or when aborted. */
export async function api<T>(path: string, request: Request = {}): Promise<T> {
  try {
    return await ask<T>(path, request);
  } catch (error) {
    if (request.command === undefined || !(error instanceof Problem) || !isBusy(error)) throw error;
    // The key is the same, so it happens once, whatever became of the first try.
    await pause(error.retryAfter * 1000, request.signal);
    return ask<T>(path, request);
  }
}

const isBusy = ({ status, retryAfter }: Problem) => (status === 429 || status === 503) && retryAfter > 0 && retryAfter <= patience;

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("aborted", "AbortError"));
    }, { once: true });
  });
}

async function ask<T>(path: string, request: Request): Promise<T> {
  const headers = new Headers({ Accept: "application/json" });
  const init: RequestInit = { method: request.method ?? "GET", headers };
  if (request.signal) init.signal = request.signal;
  if (request.command) headers.set("Idempotency-Key", request.command);
  if (request.body !== undefined) {
    headers.set("Content-Type", "application/json");
    init.body = JSON.stringify(request.body);
  }
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    if (request.signal?.aborted) throw error;
    throw new Problem(0, { code: offline, detail: "the server cannot be reached" });
  }
  if (!response.ok) throw await problemOf(response);
  if (response.status === 204) return undefined as T;
  if (!isJSON(response)) throw unexpected(response);
  return (await response.json()) as T;
}

async function problemOf(response: Response): Promise<Problem> {
  if (!isJSON(response)) return unexpected(response);
  const body: unknown = await response.json().catch(() => null);
  if (!isProblemBody(body)) return unexpected(response);
  return new Problem(response.status, body, Number(response.headers.get("Retry-After") ?? 0) || 0);
}

function isProblemBody(body: unknown): body is ProblemBody {
  return typeof body === "object" && body !== null && "code" in body && "detail" in body;
}

function isJSON(response: Response): boolean {
  return /^application\/(problem\+)?json\b/.test(response.headers.get("Content-Type") ?? "");
}

// A proxy's page, say: neither ours nor readable.
function unexpected(response: Response): Problem {
  return new Problem(response.status, { code: "unexpected", detail: `unexpected answer ${response.status}` });
}

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A fresh ULID, for the key of a command. */
export function ulid(now = Date.now()): string {
  let time = now;
  let head = "";
  for (let i = 0; i < 10; i++) {
    head = alphabet.charAt(time % 32) + head;
    time = Math.floor(time / 32);
  }
  const tail = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => alphabet.charAt(byte % 32));
  return head + tail.join("");
}
