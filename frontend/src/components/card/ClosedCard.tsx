import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";

import type { Card, CardState } from "../../services/cards";
import type { Gene, People } from "../../services/genes";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { Time } from "../ui/Time";
import { AppliedNote } from "./AppliedNote";
import { CardTabs } from "./CardTabs";
import { MovedPanel } from "./MovedPanel";
import { CardTitle } from "./PendingCard";
import type { Status } from "./status";
import { useNames } from "./useNames";

type Props = { agent: string; row: CardState; status: Status; card: Card | undefined; failed: ReactNode; authors: Gene | undefined; people: People; mayWrite: boolean; open?: boolean };

const tones = { applied: "good", rejected: "quiet", expired: "warn", pending: "quiet" } as const;

/** A card that was decided, or that no longer can be. It asks for nothing, so it is quiet; what it said is a click away. */
export function ClosedCard({ agent, row, status, card, failed, authors, people, mayWrite, open = false }: Props) {
  const { t } = useTranslation("card");
  const [shown, setShown] = useState(open);
  return (
    <div className="grid gap-1.5">
      <div className="flex items-start justify-between gap-2">
        <CardTitle base={status.base} next={status.state === "applied" ? status.version : 0} quiet />
        <Badge tone={status.moved ? "warn" : tones[status.state]}>{t(`state.${status.state}`)}</Badge>
      </div>
      <p className="[overflow-wrap:anywhere]">{row.summary}</p>
      <Outcome status={status} people={people} />
      {status.state === "applied" && <AppliedNote agent={agent} base={status.base} version={status.version} mayWrite={mayWrite} />}
      {status.moved && card && <MovedPanel agent={agent} card={card} movedTo={status.movedTo} authors={authors} mayWrite={mayWrite} />}
      {failed}
      {shown && card ? (
        <div className="mt-1">
          <CardTabs agent={agent} card={card} authors={authors} onInk={false} />
        </div>
      ) : (
        card && (
          <div>
            <Button small look="quiet" className="-ml-3" onClick={() => { setShown(true); }}>{t("show")}</Button>
          </div>
        )
      )}
    </div>
  );
}

/** How it ended, in one sentence, with who and when. */
function Outcome({ status, people }: { status: Status; people: People }) {
  const { t } = useTranslation("card");
  const nameOf = useNames();
  const name = nameOf(status.by, people);
  const only = status.applied.length > 0 && status.applied.length < status.parts.length ? status.applied.map((part) => t(`part.${part}`)).join(t("and")) : "";
  const said =
    status.state === "applied" ? (status.edited ? t("outcome.edited", { name, version: status.version }) : t("outcome.applied", { name, version: status.version }))
    : status.state === "rejected" ? t("outcome.rejected", { name })
    : status.moved ? t("outcome.moved", { version: status.movedTo })
    : t("outcome.aged");
  const why = [...status.chips, ...(status.why ? [status.why] : [])];
  return (
    <div className="text-sm text-muted">
      <p>
        {said}
        {only && ` ${t("outcome.only", { parts: only })}`} {status.at && <Time at={status.at} />}
      </p>
      {status.state === "rejected" && why.length > 0 && <p className="text-text [overflow-wrap:anywhere]">{t("outcome.why", { why: why.join(t("and")) })}</p>}
    </div>
  );
}
