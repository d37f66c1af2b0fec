import { createContext, useContext } from "react";

import type { Session } from "../../services/session";

export const SessionContext = createContext<Session | null>(null);

/** Who is signed in; only below the frame. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("there is no session outside the frame");
  return session;
}

/** What one run may cost at most, in ¥. */
export const useRunCap = (): number => useSession().limits.runCost;
