import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { type Card, citedQuery, type Citation, type Cited } from "../../services/cards";
import type { People } from "../../services/genes";
import { Icon } from "../ui/Icon";
import { Time } from "../ui/Time";
import { CiteLink } from "./CiteLink";
import { useNames } from "./useNames";

/** How many things a card rests on. */
export const countOfEvidence = (card: Card) => card.feedback.length + card.evidence.length;

/** Why the card was proposed: the reason, the feedback it used, the objects it looked at. */
export function Evidence({ agent, card, onInk }: { agent: string; card: Card; onInk: boolean }) {
  const { t } = useTranslation("card");
  const { data: cited } = useQuery({ ...citedQuery(agent), enabled: card.feedback.length > 0 });
  const quiet = `text-xs ${onInk ? "text-on-ink-muted" : "text-muted"}`;
  return (
    <div className="grid gap-3 text-sm leading-relaxed">
      <div>
        <p className={quiet}>{t("evidence.reason")}</p>
        <p className="whitespace-pre-line [overflow-wrap:anywhere]">{card.reason}</p>
      </div>
      {card.feedback.length > 0 && (
        <div>
          <p className={`mb-1 ${quiet}`}>{t("evidence.feedback", { count: card.feedback.length })}</p>
          <ul className="grid gap-2">
            {card.feedback.map((citation) => (
              <Said key={`${citation.feedback}${citation.document}`} citation={citation} said={cited?.items.get(citation.feedback)} people={cited?.people ?? {}} onInk={onInk} />
            ))}
          </ul>
          <p className={`mt-1.5 ${quiet}`}>{t("evidence.settles")}</p>
        </div>
      )}
      {card.evidence.length > 0 && (
        <div>
          <p className={`mb-1 ${quiet}`}>{t("evidence.objects", { count: card.evidence.length })}</p>
          <ul className="grid gap-1">
            {card.evidence.map((ref) => (
              <li key={`${ref.type}${ref.id}${ref.panel}${ref.from}`}>
                <CiteLink agent={agent} cite={ref} onInk={onInk} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {card.run !== "" && (
        <p>
          <Link to="/a/$agent/tasks" params={{ agent }} search={{ run: card.run }} className={`underline underline-offset-2 ${onInk ? "focus-visible:outline-on-ink" : ""}`}>
            {t("evidence.run")}
          </Link>
        </p>
      )}
    </div>
  );
}

type SaidProps = { citation: Citation; said: Cited | undefined; people: People; onInk: boolean };

function Said({ citation, said, people, onInk }: SaidProps) {
  const { t } = useTranslation("card");
  const nameOf = useNames();
  const quiet = `text-xs ${onInk ? "text-on-ink-muted" : "text-muted"}`;
  const document = citation.document === "search" || citation.document === "steer" || citation.document === "constraints" ? t(`part.${citation.document}`) : citation.document;
  if (!said) return <li className={quiet}>{t("evidence.older", { document })}</li>;
  return (
    <li className={`border-l-2 pl-2.5 ${onInk ? "border-ink-line" : "border-line-strong"}`}>
      <p className="flex items-baseline gap-1.5 [overflow-wrap:anywhere]">
        {said.verdict !== null && (
          <span className="shrink-0 self-center" title={t(`evidence.${said.verdict}`)}>
            <Icon name="thumb" className={said.verdict === "dislike" ? "rotate-180" : ""} />
            <span className="sr-only">{t(`evidence.${said.verdict}`)}</span>
          </span>
        )}
        <span>{said.words || (said.verdict === null ? "" : t(`evidence.${said.verdict}`))}</span>
      </p>
      <p className={quiet}>
        {nameOf(said.by, people)} · <Time at={said.at} /> · {t("evidence.for", { document })}
      </p>
    </li>
  );
}
