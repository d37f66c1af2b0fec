import { vi } from "vitest";

type Answer = Response | (() => Response);

/** Replaces the network by a table "METHOD /path" → answer, and records what was asked. */
export function serve(table: Record<string, Answer>): Request[] {
  const asked: Request[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
    const request = new Request(new URL(input as string, location.origin), { ...init, signal: null });
    asked.push(request);
    const url = new URL(request.url);
    const answer = table[`${request.method} ${url.pathname}${url.search}`];
    if (answer === undefined) return Promise.resolve(problem(404, { code: "not_found", detail: `no ${request.url} in this test` }));
    return Promise.resolve(typeof answer === "function" ? answer() : answer.clone());
  });
  return asked;
}

export const json = (body: unknown, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } });

export const empty = () => new Response(null, { status: 204 });

export const problem = (status: number, body: object, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify({ type: "about:blank", status, ...body }), {
    status,
    headers: { "Content-Type": "application/problem+json", ...headers },
  });
