import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

import type { Card, CardState } from "../../services/cards";
import type { Gene, People } from "../../services/genes";
import { Notice } from "../ui/Notice";
import { Time } from "../ui/Time";
import { CardActions } from "./CardActions";
import { CardTabs } from "./CardTabs";
import { EditForm } from "./EditForm";
import { RejectForm } from "./RejectForm";
import type { Status } from "./status";
import type { CardCommands } from "./useCardCommands";
import { useNames } from "./useNames";

export type Doing = "asking" | "editing" | "rejecting";

type Props = {
  agent: string;
  row: CardState;
  status: Status;
  card: Card | undefined;
  failed: ReactNode;
  authors: Gene | undefined;
  people: People;
  commands: CardCommands;
  mayWrite: boolean;
  doing: Doing;
  onDoing: (doing: Doing) => void;
};

/** A card that waits: the one thing on a page that asks for a decision. */
export function PendingCard({ agent, row, status, card, failed, authors, people, commands, mayWrite, doing, onDoing }: Props) {
  const { t } = useTranslation("card");
  const nameOf = useNames();
  const { applying, rejecting, error } = commands;
  return (
    <>
      <CardTitle base={status.base} next={status.base + 1} />
      <p className="mt-0.5 text-xs text-on-ink-muted">
        {t("proposed", { name: nameOf(row.by, people) })} · <Time at={row.proposed_at} /> · {t("expires")} <Time at={row.expires} look="shortDay" />
      </p>
      <p className="mt-1.5 mb-2.5 font-medium [overflow-wrap:anywhere]">{row.summary}</p>
      {failed}
      {!card && !failed && <Coming />}
      {card && doing === "editing" && (
        <EditForm card={card} authors={authors} busy={applying} onApply={commands.apply} onCancel={() => { onDoing("asking"); }} />
      )}
      {card && doing !== "editing" && <CardTabs agent={agent} card={card} authors={authors} onInk />}
      {mayWrite && doing === "asking" && (
        <CardActions
          parts={status.parts}
          base={status.base}
          applying={applying}
          rejecting={rejecting}
          onApply={(parts) => { commands.apply({ parts, edit: {} }); }}
          onEdit={() => { onDoing("editing"); }}
          onReject={() => { onDoing("rejecting"); }}
        />
      )}
      {mayWrite && doing === "rejecting" && <RejectForm busy={rejecting} onReject={commands.reject} onCancel={() => { onDoing("asking"); }} />}
      {!mayWrite && <p className="mt-3 text-xs text-on-ink-muted">{t("viewer")}</p>}
      {error && !commands.winner && (
        <div className="mt-3 grid gap-1">
          <Notice error={error} onRetry={commands.retry} />
          <p className="text-xs text-on-ink-muted">{doing === "editing" ? t("failed.edit") : t("failed.waits")}</p>
        </div>
      )}
      <span role="status" className="sr-only">{applying ? t("apply.busy") : rejecting ? t("reject.busy") : ""}</span>
    </>
  );
}

/** What comes, in its shape: tabs and a few lines. */
function Coming() {
  const { t } = useTranslation();
  return (
    <div role="status" className="grid gap-2.5">
      <span className="sr-only">{t("state.loading")}</span>
      {["w-2/5", "w-full", "w-5/6", "w-3/4"].map((width) => (
        <div key={width} className={`h-5 animate-pulse rounded bg-ink-raised ${width}`} />
      ))}
    </div>
  );
}

/** What it is, and from which version to which. */
export function CardTitle({ base, next, quiet = false }: { base: number; next: number; quiet?: boolean }) {
  const { t } = useTranslation("card");
  const pill = quiet ? "border-line-strong text-muted" : "border-ink-line text-on-ink-muted";
  return (
    <p className="flex flex-wrap items-center gap-2 text-sm font-semibold">
      {t("title")}
      <span className={`whitespace-nowrap rounded-full border px-1.5 font-mono text-[11px] leading-[18px] ${pill}`}>
        {next > 0 ? t("from_to", { base, next }) : t("on_base", { base })}
      </span>
    </p>
  );
}
