import { useTranslation } from "react-i18next";

import type { Card } from "../../services/cards";
import { documents, type Gene } from "../../services/genes";
import { usePeopleLines } from "./TextChanges";
import { compareTexts } from "./words";

/** Both documents as the card would have them, and the hard limits. */
export function FullText({ card, authors, onInk }: { card: Card; authors: Gene | undefined; onInk: boolean }) {
  const { t } = useTranslation("card");
  const people = usePeopleLines(authors);
  const quiet = onInk ? "text-on-ink-muted" : "text-muted";
  const { maxFilmSeconds, aspect } = card.change.constraints ?? card.was.constraints;
  return (
    <div className="grid gap-3 text-sm leading-relaxed">
      {documents.map((part) => {
        const stays = card.change[part] === undefined;
        const rows = compareTexts(card.was[part], card.change[part] ?? card.was[part]).filter((row) => row.kind !== "removed");
        return (
          <div role="group" key={part} aria-label={t(`part.${part}`)}>
            <p className={`mb-0.5 text-xs ${quiet}`}>
              {t(`part.${part}`)}
              {stays && ` · ${t("full.stays")}`}
            </p>
            {rows.length === 0 && <p className={quiet}>{t("full.empty")}</p>}
            <ol>
              {rows.map((row) => {
                const person = people[part].get(row.was);
                return (
                  <li key={row.n} className="flex gap-2 py-px">
                    <span aria-hidden="true" className={`w-6 shrink-0 text-center font-mono text-[11px] font-semibold leading-[22px] ${quiet}`}>{row.n}</span>
                    <span className={`min-w-0 flex-1 [overflow-wrap:anywhere] ${stays ? quiet : ""}`}>
                      {row.pieces.filter((piece) => piece.op !== "removed").map((piece) => piece.text).join("")}
                    </span>
                    {person !== undefined && <span className={`max-w-24 shrink-0 truncate text-xs leading-[22px] ${quiet}`}>{t("diff.wrote", { name: person })}</span>}
                  </li>
                );
              })}
            </ol>
          </div>
        );
      })}
      <div role="group" aria-label={t("part.constraints")}>
        <p className={`mb-0.5 text-xs ${quiet}`}>
          {t("part.constraints")}
          {card.change.constraints === undefined && ` · ${t("full.stays")}`}
        </p>
        <p className={`pl-8 ${card.change.constraints === undefined ? quiet : ""}`}>
          {t("constraint.max_film_seconds")} {maxFilmSeconds > 0 ? t("constraint.seconds", { n: maxFilmSeconds }) : t("constraint.none")} · {t("constraint.aspect")} {aspect || t("constraint.none")}
        </p>
      </div>
    </div>
  );
}
