import { useTranslation } from "react-i18next";

/** The grid before it is read. */
export function GridSkeleton() {
  const { t } = useTranslation();
  return (
    <div role="status" className="grid grid-cols-[repeat(auto-fill,minmax(max(172px,14%),1fr))] gap-3.5 max-sm:grid-cols-2 max-sm:gap-2.5">
      <span className="sr-only">{t("state.loading")}</span>
      {Array.from({ length: 8 }, (_, i) => (
        <div key={i} className="overflow-hidden rounded-card border border-line bg-surface">
          <div className="skeleton aspect-[9/13] !rounded-none" />
          <div className="grid gap-2 p-3">
            <div className="skeleton h-4" />
            <div className="skeleton h-4 w-2/3" />
          </div>
        </div>
      ))}
    </div>
  );
}
