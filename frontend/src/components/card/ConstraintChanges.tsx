import { useTranslation } from "react-i18next";

import type { Constraints } from "../../services/genes";
import { Words } from "./DiffLines";

/** How the hard limits differ; nothing where they do not. */
export function ConstraintChanges({ from, to, onInk = false }: { from: Constraints; to: Constraints; onInk?: boolean }) {
  const { t } = useTranslation("card");
  const rows: [string, string, string][] = [
    [t("constraint.max_film_seconds"), seconds(from), seconds(to)],
    [t("constraint.aspect"), from.aspect || t("constraint.none"), to.aspect || t("constraint.none")],
  ];
  function seconds({ maxFilmSeconds }: Constraints): string {
    return maxFilmSeconds > 0 ? t("constraint.seconds", { n: maxFilmSeconds }) : t("constraint.none");
  }
  return (
    <ul className="text-sm leading-relaxed">
      {rows
        .filter(([, was, is]) => was !== is)
        .map(([name, was, is]) => (
          <li key={name} className="flex gap-2 py-px">
            <span aria-hidden="true" className={`w-6 shrink-0 text-center ${onInk ? "text-on-ink-muted" : "text-muted"}`}>·</span>
            <span>
              {name} <Words onInk={onInk} pieces={[{ op: "removed", text: was }, { op: "same", text: " " }, { op: "added", text: is }]} />
            </span>
          </li>
        ))}
    </ul>
  );
}
