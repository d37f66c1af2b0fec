import { useTranslation } from "react-i18next";

/** A grid of tiles before it is read. least: the narrowest that a column may be. */
export function TilesSkeleton({ tiles, height, least }: { tiles: number; height: number; least: string }) {
  const { t } = useTranslation();
  return (
    <div role="status" className="grid gap-3.5" style={{ gridTemplateColumns: `repeat(auto-fill, minmax(${least}, 1fr))` }}>
      <span className="sr-only">{t("state.loading")}</span>
      {Array.from({ length: tiles }, (_, i) => <div key={i} className="skeleton !rounded-card" style={{ height }} />)}
    </div>
  );
}
