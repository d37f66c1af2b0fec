import { useTranslation } from "react-i18next";

import { Chip } from "../ui/Button";
import { Select } from "../ui/Field";
import { type RunFilter, type RunState, triggers, type Work, works } from "../../services/runs";

type Props = { filter: RunFilter; version: number; onChange: (change: Partial<RunFilter>) => void; onClear: () => void };

const groups: { key: "all" | "open" | "done" | "failed" | "cancelled"; states: RunState[] }[] = [
  { key: "all", states: [] },
  { key: "open", states: ["requested", "running", "stopping", "worker_lost"] },
  { key: "done", states: ["done"] },
  { key: "failed", states: ["failed"] },
  { key: "cancelled", states: ["cancelled"] },
];

const same = (a: RunState[], b: RunState[]) => a.length === b.length && a.every((s) => b.includes(s));

export function RunFilters({ filter, version, onChange, onClear }: Props) {
  const { t } = useTranslation("tasks");
  const latest = Math.max(version, filter.version);
  const any = filter.state.length + filter.work.length + filter.version > 0 || filter.trigger !== "";
  return (
    <div role="search" aria-label={t("filter.label")} className="flex flex-wrap items-center gap-2 max-sm:-mx-4 max-sm:flex-nowrap max-sm:overflow-x-auto max-sm:px-4 max-sm:py-1 max-sm:[scrollbar-width:none]">
      <div role="group" aria-label={t("filter.state")} className="flex shrink-0 flex-wrap gap-1.5 max-sm:flex-nowrap">
        {groups.map(({ key, states }) => (
          <Chip key={key} on={same(filter.state, states)} onClick={() => { onChange({ state: states }); }}>
            {key === "all" || key === "open" ? t(`filter.${key}`) : t(`state.${key}`)}
          </Chip>
        ))}
      </div>
      <Select
        label={t("filter.work")}
        className="shrink-0"
        value={filter.work.join(",")}
        onChange={(e) => { onChange({ work: works.filter((w): w is Work => w === e.target.value) }); }}
      >
        <option value="">{t("filter.any_work")}</option>
        {works.map((work) => (
          <option key={work} value={work}>{t(`work.${work}`)}</option>
        ))}
      </Select>
      <Select label={t("filter.trigger")} className="shrink-0" value={filter.trigger} onChange={(e) => { onChange({ trigger: e.target.value }); }}>
        <option value="">{t("filter.any_trigger")}</option>
        {triggers.map((trigger) => (
          <option key={trigger} value={trigger}>{t(`trigger.${trigger}`)}</option>
        ))}
      </Select>
      <Select label={t("filter.version")} className="shrink-0" value={filter.version} onChange={(e) => { onChange({ version: Number(e.target.value) }); }}>
        <option value={0}>{t("filter.any_version")}</option>
        {Array.from({ length: latest }, (_, i) => latest - i).map((n) => (
          <option key={n} value={n}>{t("filter.version_n", { n })}</option>
        ))}
      </Select>
      {any && (
        <button type="button" className="min-h-8 shrink-0 px-1 text-sm text-muted underline underline-offset-3 pointer-coarse:min-h-10" onClick={onClear}>
          {t("filter.clear")}
        </button>
      )}
    </div>
  );
}
