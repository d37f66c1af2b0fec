import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { Avatar } from "../ui/Avatar";
import { Badge } from "../ui/Badge";
import { Icon } from "../ui/Icon";
import { Time } from "../ui/Time";
import type { Feedback } from "../../services/feedback";

type Props = {
  items: Feedback[];
  user: string;
  busy: boolean;
  /** Which part of the object somebody spoke of. */
  place?: ((feedback: Feedback) => ReactNode) | undefined;
  onWithdraw?: ((feedback: Feedback) => void) | undefined;
};

/** What everybody said about an object, newest first; one's own open words can be taken back. */
export function FeedbackList({ items, user, busy, place, onWithdraw }: Props) {
  const { t } = useTranslation("materials");
  const standing = items.filter((f) => f.state !== "withdrawn");
  if (standing.length === 0) return <p className="text-muted">{t("detail.no_feedback")}</p>;
  return (
    <ul className="grid gap-2.5">
      {standing.map((f) => (
        <li key={f.id} className="flex gap-2.5">
          <Avatar name={f.name} />
          <div className="min-w-0 flex-1">
            <p className="flex flex-wrap items-center gap-x-2 text-sm">
              <span className="font-medium">{f.name}</span>
              {place?.(f)}
              {f.verdict && (
                <span className="inline-flex items-center gap-1 text-muted">
                  <Icon name="thumb" className={`size-3.5 ${f.verdict === "dislike" ? "rotate-180" : ""}`} />
                  {t(`react.${f.verdict}`)}
                </span>
              )}
              {f.written && <span className="text-xs text-muted">{t("detail.by_butler")}</span>}
              <Time at={f.at} className="text-xs text-muted" />
              {f.state === "settled" ? (
                <Badge>{t("detail.settled", { n: f.settledIn })}</Badge>
              ) : (
                f.by === user &&
                onWithdraw !== undefined && (
                  <button type="button" className="min-h-6 text-xs text-muted underline underline-offset-3 pointer-coarse:min-h-10" disabled={busy} onClick={() => { onWithdraw(f); }}>
                    {t("react.undo")}
                  </button>
                )
              )}
            </p>
            {f.words !== "" && <p className="[overflow-wrap:anywhere]">{f.words}</p>}
          </div>
        </li>
      ))}
    </ul>
  );
}
