import { useMemo } from "react";
import { useTranslation } from "react-i18next";

import { documents, type Gene, type Part, parts, type Texts } from "../../services/genes";
import { ConstraintChanges } from "./ConstraintChanges";
import { DiffLines } from "./DiffLines";
import { personOf, useNames } from "./useNames";
import { compareTexts } from "./words";

export const sameConstraints = (a: Texts["constraints"], b: Texts["constraints"]) => a.maxFilmSeconds === b.maxFilmSeconds && a.aspect === b.aspect;

/** The parts in which two versions differ. */
export const differing = (from: Texts, to: Partial<Texts>): Part[] =>
  parts.filter((part) => {
    if (part === "constraints") return to.constraints !== undefined && !sameConstraints(from.constraints, to.constraints);
    return to[part] !== undefined && to[part] !== from[part];
  });

/** Who wrote the lines of a version: people only, by document and line number. */
export function usePeopleLines(gene: Gene | undefined): Record<(typeof documents)[number], ReadonlyMap<number, string>> {
  const nameOf = useNames();
  return useMemo(() => {
    const of = (part: (typeof documents)[number]) =>
      new Map((gene?.lines[part] ?? []).filter((line) => personOf(line.by) !== "").map((line) => [line.n, nameOf(line.by, gene?.people ?? {})]));
    return { search: of("search"), steer: of("steer") };
  }, [gene, nameOf]);
}

type Props = {
  from: Texts;
  /** Absent parts stay as they are and are not shown. */
  to: Partial<Texts>;
  /** The old version with its authors; without it no line is marked. */
  authors: Gene | undefined;
  onInk?: boolean;
};

/** Everything that differs, part by part. */
export function TextChanges({ from, to, authors, onInk = false }: Props) {
  const { t } = useTranslation("card");
  const people = usePeopleLines(authors);
  const changes = useMemo(() => differing(from, to).map((part) => ({ part, rows: part === "constraints" ? [] : compareTexts(from[part], to[part] ?? "") })), [from, to]);
  if (changes.length === 0) return <p className={onInk ? "text-on-ink-muted" : "text-muted"}>{t("diff.none")}</p>;
  return (
    <div className="grid gap-3">
      {changes.map(({ part, rows }) => (
        <div role="group" key={part} aria-label={t(`part.${part}`)}>
          <p aria-hidden="true" className={`mb-0.5 text-xs ${onInk ? "text-on-ink-muted" : "text-muted"}`}>{t(`part.${part}`)}</p>
          {part === "constraints" ? (
            <ConstraintChanges from={from.constraints} to={to.constraints ?? from.constraints} onInk={onInk} />
          ) : (
            <DiffLines rows={rows} people={people[part]} onInk={onInk} />
          )}
        </div>
      ))}
    </div>
  );
}
