import { Problem } from "../services/api";
import type { Connection, Verdict } from "./connection";

/** What a refusal says about being in the room. */
export function verdictOf(error: unknown): Verdict {
  if (!(error instanceof Problem)) return "try_again";
  if (error.code === "unauthorized") return "signed_out";
  return error.code === "forbidden" || error.code === "not_found" ? "not_allowed" : "try_again";
}

/** The connection that a refused first reading leaves. */
export function connectionAfter(error: unknown): Connection {
  const verdict = verdictOf(error);
  return verdict === "try_again" ? { state: "connecting" } : { state: verdict };
}

/** Passes over a conflict: the answer has ended, the message was taken up or taken back. The log shows which. */
export function unlessOver(error: unknown): void {
  if (error instanceof Problem && (error.code === "conflict" || error.code === "not_found")) return;
  throw error;
}
