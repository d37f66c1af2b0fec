import { useTranslation } from "react-i18next";

import { aspects, type Constraints } from "../../services/genes";

const box = "min-h-9 rounded-control border border-control-line bg-surface px-2 text-text pointer-coarse:min-h-10 max-sm:text-[16px]";

/** The hard limits, to be changed. */
export function ConstraintFields({ value, disabled = false, onChange }: { value: Constraints; disabled?: boolean; onChange: (value: Constraints) => void }) {
  const { t } = useTranslation("card");
  return (
    <div className="flex flex-wrap gap-x-6 gap-y-2">
      <label className="flex items-center gap-2">
        {t("constraint.max_film_seconds")}
        <input
          type="number"
          inputMode="numeric"
          min={0}
          max={600}
          className={`w-20 ${box}`}
          disabled={disabled}
          value={value.maxFilmSeconds === 0 ? "" : value.maxFilmSeconds}
          placeholder={t("constraint.none")}
          onChange={(e) => { onChange({ ...value, maxFilmSeconds: Math.min(600, Math.max(0, Math.round(Number(e.target.value)) || 0)) }); }}
        />
        {t("constraint.unit")}
      </label>
      <label className="flex items-center gap-2">
        {t("constraint.aspect")}
        <select className={box} disabled={disabled} value={value.aspect} onChange={(e) => { onChange({ ...value, aspect: e.target.value }); }}>
          <option value="">{t("constraint.none")}</option>
          {aspects.map((aspect) => (
            <option key={aspect} value={aspect}>{aspect}</option>
          ))}
        </select>
      </label>
    </div>
  );
}
