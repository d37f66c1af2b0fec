import { useTranslation } from "react-i18next";

import { Button } from "../ui/Button";
import type { Material } from "../../services/materials";
import { mostChosen } from "./useChosen";
import { useWords } from "./words";

/** So many pictures are shown, the rest is a number. */
const most = 8;

/** What is chosen for a board, and what to do with it; at the lower end of the page while something is. */
export function ChosenBar({ chosen, onToggle, onClear, onMake }: { chosen: Material[]; onToggle: (material: Material) => void; onClear: () => void; onMake: () => void }) {
  const { t } = useTranslation("materials");
  const words = useWords();
  if (chosen.length === 0) return null;
  return (
    <div role="region" aria-label={t("board.label")} className="sticky bottom-3 z-20 flex flex-wrap items-center gap-x-3 gap-y-2 justify-self-center rounded-card border border-line-strong bg-surface px-3 py-2 shadow-card">
      <ul className="flex gap-1 max-sm:hidden">
        {chosen.slice(0, most).map((m) => {
          const title = words.title(m);
          return (
            <li key={m.id}>
              <button type="button" title={title} aria-label={t("tile.chosen", { title })} onClick={() => { onToggle(m); }} className="block h-10 w-7 overflow-hidden rounded bg-sunken hover:opacity-60">
                {m.media.poster && <img src={m.media.poster} alt="" className="size-full object-cover" />}
              </button>
            </li>
          );
        })}
        {chosen.length > most && <li className="grid h-10 min-w-7 place-content-center rounded bg-sunken px-1 font-mono text-xs text-muted">{`+${chosen.length - most}`}</li>}
      </ul>
      <p role="status" className="whitespace-nowrap text-sm tabular-nums">{t(chosen.length >= mostChosen ? "board.most" : "board.bar", { n: chosen.length })}</p>
      <Button small look="quiet" onClick={onClear}>{t("board.clear")}</Button>
      <Button small look="primary" onClick={onMake}>{t("board.button")}</Button>
    </div>
  );
}
