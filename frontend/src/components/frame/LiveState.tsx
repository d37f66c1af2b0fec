import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";

import type { Connection } from "../../live/connection";
import { IconButton } from "../ui/Button";

const dots: Record<Connection["state"], string> = {
  live: "bg-good",
  connecting: "bg-warn",
  catching_up: "bg-warn",
  reconnecting: "bg-warn",
  signed_out: "bg-bad",
  not_allowed: "bg-bad",
  outdated: "bg-bad",
};

/** How the room is connected: a dot, always with its word. */
export function LiveState({ connection, onRetry }: { connection: Connection; onRetry: () => void }) {
  const { t } = useTranslation();
  const seconds = useSecondsUntil(connection.state === "reconnecting" ? connection.at : null);
  const words = {
    live: () => t("live.live"),
    connecting: () => t("live.connecting"),
    catching_up: () => (connection.state === "catching_up" && connection.behind > 0 ? t("live.catching_up", { n: connection.behind }) : t("live.connecting")),
    reconnecting: () => t("live.reconnecting", { n: seconds }),
    signed_out: () => t("live.signed_out"),
    not_allowed: () => t("live.not_allowed"),
    outdated: () => t("live.outdated"),
  }[connection.state]();
  return (
    <span className="flex items-center gap-1.5 whitespace-nowrap text-xs text-muted" data-testid="connection" data-state={connection.state}>
      <span aria-hidden="true" className={`size-[7px] rounded-full ${dots[connection.state]}`} />
      <span className={connection.state === "live" ? "max-[400px]:sr-only" : ""}>{words}</span>
      {connection.state === "reconnecting" && (
        <IconButton icon="refresh" label={t("live.again")} onClick={onRetry} />
      )}
      {connection.state === "signed_out" && <Link to="/signin" className="underline underline-offset-2">{t("live.sign_in")}</Link>}
      {connection.state === "outdated" && (
        <button type="button" className="underline underline-offset-2" onClick={() => { window.location.reload(); }}>
          {t("live.reload")}
        </button>
      )}
    </span>
  );
}

function useSecondsUntil(at: number | null): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (at === null) return;
    const tick = () => { setNow(Date.now()); };
    tick();
    const timer = setInterval(tick, 500);
    return () => { clearInterval(timer); };
  }, [at]);
  return at === null ? 0 : Math.max(1, Math.ceil((at - now) / 1000));
}
