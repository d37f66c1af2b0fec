import { useTranslation } from "react-i18next";

/** Grey bars in the shape of what comes, with one word for a screen reader. */
export function Skeleton({ rows, height }: { rows: number; height: number }) {
  const { t } = useTranslation();
  return (
    <div role="status" className="grid gap-3">
      <span className="sr-only">{t("state.loading")}</span>
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} className="skeleton" style={{ height }} />
      ))}
    </div>
  );
}
