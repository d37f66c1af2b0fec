import { type ReactNode, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";

import { Chip } from "../ui/Button";
import { Select } from "../ui/Field";
import { Icon } from "../ui/Icon";
import { type MaterialFilter, materialStates, ratings } from "../../services/materials";
import { useWords } from "./words";

type Props = {
  filter: MaterialFilter;
  /** The gene's current version: all up to it can be chosen. */
  version: number;
  sources: readonly string[];
  onChange: (change: Partial<MaterialFilter>) => void;
  onClear: () => void;
  /** What to do besides filtering; at the end of the row, on a phone beside the text. */
  children?: ReactNode;
};

/** A pause in typing after which the text is looked for, in ms. */
const typingPause = 300;

export function MaterialFilters({ filter, version, sources, onChange, onClear, children }: Props) {
  const { t } = useTranslation("materials");
  const words = useWords();
  const any = Object.values(filter).some((value) => value !== "" && value !== 0);
  const versions = Array.from({ length: Math.max(version, filter.version) }, (_, i) => Math.max(version, filter.version) - i);
  return (
    <div role="search" aria-label={t("filter.label")} className="flex flex-wrap items-center gap-2">
      <Search text={filter.q} label={t("filter.text")} onSearch={(q) => { onChange({ q }); }} />
      <span className="ml-auto sm:order-last">{children}</span>
      <div className="max-sm:-mx-4 max-sm:flex max-sm:w-dvw max-sm:items-center max-sm:gap-2 max-sm:overflow-x-auto max-sm:px-4 max-sm:py-1 max-sm:[scrollbar-width:none] sm:contents">
        <div role="group" aria-label={t("filter.state")} className="flex shrink-0 flex-wrap gap-1.5 max-sm:flex-nowrap">
          <Chip on={filter.state === ""} onClick={() => { onChange({ state: "" }); }}>{t("filter.all")}</Chip>
          {materialStates.map((state) => (
            <Chip key={state} on={filter.state === state} onClick={() => { onChange({ state: filter.state === state ? "" : state }); }}>
              {t(`state.${state}`)}
            </Chip>
          ))}
        </div>
        <Select label={t("filter.rating")} value={filter.rating} className="shrink-0" onChange={(e) => { onChange({ rating: e.target.value }); }}>
          <option value="">{t("filter.any_rating")}</option>
          {ratings.map((rating) => (
            <option key={rating} value={rating}>{t(`rating.${rating}`)}</option>
          ))}
        </Select>
        <Select label={t("filter.source")} value={filter.source} className="shrink-0" onChange={(e) => { onChange({ source: e.target.value }); }}>
          <option value="">{t("filter.any_source")}</option>
          {[...new Set([...sources, ...(filter.source === "" ? [] : [filter.source])])].map((source) => (
            <option key={source} value={source}>{words.source(source)}</option>
          ))}
        </Select>
        <Select label={t("filter.version")} value={filter.version} className="shrink-0" onChange={(e) => { onChange({ version: Number(e.target.value) }); }}>
          <option value={0}>{t("filter.any_version")}</option>
          {versions.map((n) => (
            <option key={n} value={n}>{t("filter.version_n", { n })}</option>
          ))}
        </Select>
        {filter.run !== "" && (
          <Chip on title={t("filter.drop_run")} className="shrink-0" onClick={() => { onChange({ run: "" }); }}>
            {t("filter.one_run")}
            <Icon name="close" className="size-3" />
            <span className="sr-only">{t("filter.drop_run")}</span>
          </Chip>
        )}
        {any && (
          <button type="button" className="min-h-8 shrink-0 px-1 text-sm text-muted underline underline-offset-3 pointer-coarse:min-h-10" onClick={onClear}>
            {t("filter.clear")}
          </button>
        )}
      </div>
    </div>
  );
}

function Search({ text, label, onSearch }: { text: string; label: string; onSearch: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  const [sent, setSent] = useState(text);
  const [known, setKnown] = useState(text);
  if (known !== text) {
    setKnown(text);
    if (text !== sent) setTyped(text); // cleared, or another address; not the echo of what was typed
    setSent(text);
  }
  useEffect(() => {
    const wanted = typed.trim();
    if (wanted === sent) return;
    const timer = setTimeout(() => {
      setSent(wanted);
      onSearch(wanted);
    }, typingPause);
    return () => { clearTimeout(timer); };
  }, [typed, sent, onSearch]);
  return (
    <span className="relative w-52 max-sm:w-auto max-sm:flex-1">
      <Icon name="search" className="pointer-events-none absolute left-2.5 top-1/2 -translate-y-1/2 text-muted" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={typed}
        onChange={(e) => { setTyped(e.target.value); }}
        className="min-h-8 w-full rounded-full border border-line bg-surface pl-8 pr-3 text-sm placeholder:text-muted pointer-coarse:min-h-10 max-sm:text-[16px]"
      />
    </span>
  );
}
