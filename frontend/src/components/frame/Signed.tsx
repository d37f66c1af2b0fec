import { useQuery } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import type { ReactElement } from "react";

import { Problem } from "../../services/api";
import { sessionQuery } from "../../services/session";
import { Notice } from "../ui/Notice";
import { Skeleton } from "../ui/Skeleton";
import { Gate } from "./Gate";
import { SessionContext } from "./session";
import { Shortcuts } from "./Shortcuts";

/** Around every page that needs somebody to be signed in. */
export function Signed(): ReactElement {
  const session = useQuery(sessionQuery);
  if (session.data) {
    return (
      <SessionContext value={session.data}>
        <Shortcuts>
          <Outlet />
        </Shortcuts>
      </SessionContext>
    );
  }
  // Nobody signed in: the sign-in page is on its way.
  if (session.error && !(session.error instanceof Problem && session.error.code === "unauthorized")) {
    return (
      <Gate>
        <Notice error={session.error} onRetry={() => { void session.refetch(); }} />
      </Gate>
    );
  }
  return (
    <div className="px-4 py-3">
      <Skeleton rows={3} height={96} />
    </div>
  );
}
