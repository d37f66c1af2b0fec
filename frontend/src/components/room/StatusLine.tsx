import { useTranslation } from "react-i18next";

import { useRoom } from "../../live/useRoom";
import { endOf } from "./TurnLine";

/** The one line that is read out: an answer begins, an answer ends, something was not sent. Never a word of the answer itself. */
export function StatusLine() {
  const { t } = useTranslation("room");
  const news = useRoom((v) => v.news);
  const unsent = useRoom((v) => v.outbox.some((o) => o.state === "failed"));
  const told = () => {
    if (news === null) return "";
    if (news.kind === "start") return t("told.start");
    if (news.reason === "finished") return t("told.end");
    return news.reason === "stopped" ? t("told.stopped") : t("told.failed", { why: t(`end.${endOf(news.reason)}`) });
  };
  return (
    <p role="status" className="sr-only" data-testid="room-status">
      {unsent ? t("told.unsent") : told()}
    </p>
  );
}
