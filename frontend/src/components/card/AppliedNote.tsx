import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { geneQuery } from "../../services/genes";
import { scoresQuery } from "../../services/performance";
import { Icon } from "../ui/Icon";

/** After a card was applied: its version, the way back, and how far the first results are. */
export function AppliedNote({ agent, base, version, mayWrite }: { agent: string; base: number; version: number; mayWrite: boolean }) {
  const { t } = useTranslation("card");
  const { data: gene } = useQuery(geneQuery(agent));
  const { data: scores } = useQuery(scoresQuery(agent));
  const current = gene?.version === version;
  const shown = scores?.versions.find((v) => v.version === version)?.rates.adopted_of_shown?.of ?? 0;
  const wanting = scores ? Math.max(0, scores.minSample - shown) : 0;
  const link = "inline-flex min-h-8 items-center gap-1 rounded underline underline-offset-2 pointer-coarse:min-h-10";
  return (
    <p className="flex flex-wrap items-center gap-x-4 text-sm">
      <Link to="/a/$agent/gene" params={{ agent }} search={{ from: base, to: version }} className={link}>
        {t("applied.version", { version })}
      </Link>
      {current && mayWrite && (
        <Link to="/a/$agent/gene" params={{ agent }} search={{ rollback: base }} className={link}>
          <Icon name="undo" />
          {t("applied.undo")}
        </Link>
      )}
      {current && scores && <span className="text-muted">{wanting > 0 ? t("applied.wanting", { count: wanting }) : t("applied.ready")}</span>}
    </p>
  );
}
