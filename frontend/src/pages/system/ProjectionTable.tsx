import { useTranslation } from "react-i18next";

import type { Projection, ProjectionStatus } from "../../services/system";

const tones: Record<ProjectionStatus, string> = { running: "text-good", building: "text-warn", diverged: "text-bad", failed: "text-bad" };

/** Where each read model stands against the log. */
export function ProjectionTable({ projections }: { projections: Projection[] }) {
  const { t, i18n } = useTranslation();
  const number = new Intl.NumberFormat(i18n.language);
  const cell = "px-3 py-2 text-left sm:px-5";
  const count = `${cell} text-right tabular-nums`;
  return (
    <div className="overflow-x-auto rounded-card border border-line bg-surface">
      <table className="w-full border-collapse">
        <thead className="bg-sunken text-muted">
          <tr>
            <th scope="col" className={`${cell} font-medium`}>{t("system.projection")}</th>
            <th scope="col" className={`${cell} font-medium`}>{t("system.state")}</th>
            <th scope="col" className={`${count} font-medium`}>{t("system.position")}</th>
            <th scope="col" className={`${count} font-medium`}>{t("system.lag")}</th>
          </tr>
        </thead>
        <tbody>
          {projections.map((p) => (
            <tr key={p.name} className="border-t border-line">
              <th scope="row" className={`${cell} font-mono text-xs font-semibold`}>{p.name}</th>
              <td className={`${cell} ${tones[p.status]}`}>
                {t(`system.${p.status}`)}
                {p.parked > 0 && <span className="block text-warn">{t("system.parked", { n: p.parked })}</span>}
              </td>
              <td className={count}>{number.format(p.position)}</td>
              <td className={count}>{p.lag === 0 ? t("system.caught_up") : t("system.lag_of", { n: number.format(p.lag) })}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
