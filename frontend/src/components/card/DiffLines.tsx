import { useState } from "react";
import { useTranslation } from "react-i18next";

import { fold, type Piece, type Row } from "./words";

type Props = {
  rows: Row[];
  /** Who wrote a line of the old text, by its number: people only. */
  people: ReadonlyMap<number, string>;
  /** On the ink-blue ground of a card. */
  onInk?: boolean;
};

const marks = { page: { added: "bg-add", removed: "bg-del" }, ink: { added: "bg-ink-add", removed: "bg-ink-del" } };

/** What changed, word by word. Stretches without a change are folded until asked for; lines of people say so. */
export function DiffLines({ rows, people, onInk = false }: Props) {
  const { t } = useTranslation("card");
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  if (rows.every((row) => row.kind === "same")) return <p className={onInk ? "text-on-ink-muted" : "text-muted"}>{t("diff.blank")}</p>;
  return (
    <ul className="text-sm leading-relaxed">
      {fold(rows).map((stretch, i) =>
        stretch.folded && !open.has(i) ? (
          <li key={i}>
            <button
              type="button"
              className={`min-h-6 w-full rounded text-left text-xs pointer-coarse:min-h-10 ${onInk ? "text-on-ink-muted hover:bg-ink-raised" : "text-muted hover:bg-sunken"}`}
              onClick={() => { setOpen(new Set([...open, i])); }}
            >
              <span aria-hidden="true" className="inline-block w-8 text-center font-mono">⋯</span>
              {t("diff.folded", { count: stretch.rows.length })}
            </button>
          </li>
        ) : (
          stretch.rows.map((row) => <DiffLine key={`${row.kind}${row.n}`} row={row} person={people.get(row.was)} onInk={onInk} />)
        ),
      )}
    </ul>
  );
}

function DiffLine({ row, person, onInk }: { row: Row; person: string | undefined; onInk: boolean }) {
  const { t } = useTranslation("card");
  const quiet = onInk ? "text-on-ink-muted" : "text-muted";
  return (
    <li className="flex gap-2 py-px">
      <span aria-hidden="true" className={`w-6 shrink-0 text-center font-mono text-[11px] font-semibold leading-[22px] ${quiet}`}>
        {row.kind === "removed" ? "−" : row.n}
      </span>
      <span className={`min-w-0 flex-1 [overflow-wrap:anywhere] ${row.kind === "same" ? quiet : ""}`}>
        {row.kind === "added" && <span className="sr-only">{t("diff.added")}</span>}
        {row.kind === "removed" && <span className="sr-only">{t("diff.removed")}</span>}
        <Words pieces={row.pieces} onInk={onInk} />
      </span>
      {person !== undefined && <span className={`max-w-24 shrink-0 truncate text-xs leading-[22px] ${quiet}`}>{t("diff.wrote", { name: person })}</span>}
    </li>
  );
}

/** Pieces of a line: what came is on green, what went is struck through on red. */
export function Words({ pieces, onInk = false }: { pieces: Piece[]; onInk?: boolean }) {
  const mark = onInk ? marks.ink : marks.page;
  return pieces.map(({ op, text }, i) => {
    if (op === "added") return <ins key={i} className={`rounded-[3px] px-0.5 no-underline [box-decoration-break:clone] ${mark.added}`}>{text}</ins>;
    if (op === "removed") return <del key={i} className={`rounded-[3px] px-0.5 decoration-1 [box-decoration-break:clone] ${mark.removed}`}>{text}</del>;
    return text;
  });
}
