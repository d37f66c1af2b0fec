import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { useRoom } from "../../live/useRoom";
import { Button } from "../ui/Button";

/** What a lost connection means for this person, what is kept, and the next step. */
export function LostPanel() {
  const { t } = useTranslation("room");
  const state = useRoom((v) => (v.connection.state === "reconnecting" && v.connection.tries < 3 ? "live" : v.connection.state));
  if (state !== "reconnecting" && state !== "signed_out" && state !== "not_allowed" && state !== "outdated") return null;
  const grave = state !== "reconnecting";
  return (
    <div role={grave ? "alert" : undefined} className={`flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 text-sm ${grave ? "bg-bad-ground text-bad" : "bg-warn-ground text-warn"}`}>
      <p className="min-w-0 flex-1 basis-48">{t(`lost.${state}`)}</p>
      {state === "signed_out" && <Link to="/signin" className="underline underline-offset-4">{t("lost.signin")}</Link>}
      {state === "outdated" && <Button small onClick={() => { window.location.reload(); }}>{t("lost.reload")}</Button>}
    </div>
  );
}
