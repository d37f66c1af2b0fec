import { useTranslation } from "react-i18next";

import { useFormat } from "../ui/useFormat";
import type { Panel } from "../../services/boards";

type Props = {
  panels: Panel[];
  /** The number of the panel that plays, or that is looked at; 0: none. */
  current?: number;
  onPick: (panel: Panel, place: number) => void;
};

/** The panels one after the other, each as long as it lasts. */
export function PanelStrip({ panels, current = 0, onPick }: Props) {
  const { t } = useTranslation("boards");
  const format = useFormat();
  return (
    <div role="group" aria-label={t("strip")} className="flex gap-0.5">
      {panels.map((panel, i) => (
        <button
          key={panel.number}
          type="button"
          title={`${panel.number} · ${format.seconds(panel.seconds)}`}
          aria-label={t("strip_panel", { n: panel.number, seconds: format.seconds(panel.seconds) })}
          aria-current={current === panel.number ? "true" : undefined}
          style={{ flex: `${panel.seconds} 1 0` }}
          className="min-h-7 min-w-0 overflow-hidden rounded-sm bg-line font-mono text-[11px] font-semibold text-muted transition-colors duration-100 first:rounded-l-md last:rounded-r-md hover:bg-line-strong hover:text-text aria-[current=true]:bg-text aria-[current=true]:text-surface pointer-coarse:min-h-10"
          onClick={() => { onPick(panel, i); }}
        >
          {panel.number}
        </button>
      ))}
    </div>
  );
}
