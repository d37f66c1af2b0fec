import { useTranslation } from "react-i18next";

import type { SourceFault } from "./choice";
import { SourceOption } from "./SourceOption";
import type { Source } from "./useSources";

type Props = { legend: string; hideLegend?: boolean; sources: readonly Source[]; chosen: readonly string[]; fault: SourceFault | null; onChange: (chosen: string[]) => void };

/** Sources to search, each with what it does and costs. One where nothing can be found can only be left. */
export function SourceChecks({ legend, hideLegend = false, sources, chosen, fault, onChange }: Props) {
  const { t } = useTranslation("sources");
  return (
    <fieldset>
      <legend className={hideLegend ? "sr-only" : "mb-1 font-medium"}>{legend}</legend>
      <div className={`divide-y divide-line overflow-hidden rounded-control border ${fault === null ? "border-line" : "border-bad"}`}>
        {sources.map((source) => {
          const on = chosen.includes(source.name);
          return (
            <SourceOption
              key={source.name}
              kind="checkbox"
              field="sources"
              title={source.title}
              checked={on}
              disabled={!source.configured && !on}
              onChange={(checked) => { onChange(sources.map((s) => s.name).filter((name) => (name === source.name ? checked : chosen.includes(name)))); }}
            >
              <span className="block">{source.what}</span>
              <span className={`block ${source.configured ? "text-text" : on ? "text-warn" : ""}`}>{source.cost}</span>
            </SourceOption>
          );
        })}
      </div>
      {fault !== null && <p role="alert" className="mt-1 text-sm text-bad">{t(fault)}</p>}
    </fieldset>
  );
}
