// Boards and films, made without a browser.
import type { Account, Board, Film, Run } from "./account";
import { ok, until } from "./checks";

const ended = ["done", "failed", "cancelled"];

/** The run once it is over; it must have done what it was for. */
export async function runDone(account: Account, agent: string, run: string, within = 90_000): Promise<Run> {
  const over = await until(`the run ${run} ends`, async () => (await account.runs(agent)).find((r) => r.run === run && ended.includes(r.state)), within);
  ok(over.state === "done", `the ${over.work} run ended as ${over.state}`);
  return over;
}

/** Has a board written, of some materials or as a new version of a board. */
export async function makeBoard(account: Account, agent: string, request: { what?: string; board?: string; materials?: string[] }): Promise<Board> {
  const { what, board, materials = [] } = request;
  const { run } = await account.post<{ run: string }>(`/api/agents/${agent}/runs`, { work: "board", what, board, cites: materials.map((id) => ({ type: "material", id })) });
  await runDone(account, agent, run);
  return until("the board is there", async () => (await account.boards(agent)).find((b) => b.run === run));
}

/** Has a board made into a film. */
export async function makeFilm(account: Account, agent: string, board: string): Promise<Film> {
  const { run } = await account.post<{ run: string }>(`/api/agents/${agent}/runs`, { work: "film", board });
  await runDone(account, agent, run, 180_000);
  return until("the film is there", async () => (await account.films(agent)).find((f) => f.run === run));
}
