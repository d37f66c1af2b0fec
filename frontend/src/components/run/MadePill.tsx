import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { IconButton } from "../ui/Button";
import type { Made } from "./useMade";

const look = "inline-flex min-h-8 items-center rounded-full border border-line-strong px-3 text-sm hover:bg-sunken pointer-coarse:min-h-10";

/** That something new is there, with the way to it. */
export function MadePill({ agent, made, onForget }: { agent: string; made: Made | null; onForget: () => void }) {
  const { t } = useTranslation("boards");
  const { t: common } = useTranslation();
  if (made === null) return null;
  return (
    <p role="status" className="sticky top-2 z-20 flex items-center gap-2 justify-self-center rounded-full border border-line-strong bg-surface py-1 pl-4 pr-1 shadow-card">
      {t(`made.${made.type}`)}
      {made.type === "board" ? (
        <Link to="/a/$agent/boards/$board" params={{ agent, board: made.id }} className={look} onClick={onForget}>{t("made.open")}</Link>
      ) : (
        <Link to="/a/$agent/films/$film" params={{ agent, film: made.id }} className={look} onClick={onForget}>{t("made.open")}</Link>
      )}
      <IconButton icon="close" label={common("state.close")} className="!rounded-full" onClick={onForget} />
    </p>
  );
}
