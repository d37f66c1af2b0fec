import { useTranslation } from "react-i18next";

import { Time } from "../ui/Time";
import type { Winner } from "./status";

/** To somebody whose press came too late: who was faster, and when. */
export function Lost({ winner }: { winner: Winner }) {
  const { t } = useTranslation("card");
  const name = winner.name || t("who.person");
  const said =
    winner.state === "applied" ? t("lost.applied", { name, version: winner.version })
    : winner.state === "rejected" ? t("lost.rejected", { name })
    : winner.state === "confirmed" ? t("lost.confirmed", { name })
    : winner.state === "declined" ? t("lost.declined", { name })
    : winner.moved ? t("lost.moved", { name, version: winner.version })
    : t("lost.expired");
  return (
    <p role="alert" className="rounded-control bg-warn-ground px-3 py-2 text-sm text-warn">
      {said} {winner.at && <Time at={winner.at} look="clock" />} {t("lost.kept")}
    </p>
  );
}
