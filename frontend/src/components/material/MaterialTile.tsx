import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { useTranslation } from "react-i18next";

import { IconButton } from "../ui/Button";
import type { Material } from "../../services/materials";
import { MaterialReactions } from "./MaterialReactions";
import { Thumb, useHover } from "./Thumb";
import { useWords } from "./words";

type Props = {
  agent: string;
  material: Material;
  /** The reader, if they may write in the room and so may react. */
  user?: string;
  /** It was put aside a moment ago, so that it can still be taken back. */
  dismissed: boolean;
  /** It is chosen for a board. */
  chosen: boolean;
  onChoose: (material: Material) => void;
  onDismiss: (id: string) => void;
  onRestore: (id: string) => void;
};

const stateLook = { new: "font-semibold text-text", seen: "text-muted", ignored: "text-muted", adopted: "text-good" };

/** One material of the grid. The picture and the title open it. */
export const MaterialTile = memo(function MaterialTile({ agent, material, user, dismissed, chosen, onChoose, onDismiss, onRestore }: Props) {
  const { t } = useTranslation("materials");
  const words = useWords();
  const { playing, handlers } = useHover();
  const title = words.title(material);
  const by = [words.platform(material.platform), material.author].filter((part) => part !== "").join(" · ");
  const adopted = material.state === "adopted" || material.state === "ignored";
  const state = dismissed ? "ignored" : material.state;
  return (
    <article className={`group relative flex h-full flex-col overflow-hidden rounded-card border bg-surface ${chosen ? "border-text ring-1 ring-text" : "border-line"}`} {...handlers}>
      <Link
        to="/a/$agent/materials"
        params={{ agent }}
        search={(old) => ({ ...old, m: material.id })}
        resetScroll={false}
        className={`flex flex-1 flex-col outline-offset-[-2px] ${dismissed ? "opacity-40" : ""}`}
      >
        <span className="sr-only">{t("tile.open", { title })}</span>
        <Thumb material={material} playing={playing} />
        <span lang="" aria-hidden="true" className="line-clamp-2 min-h-[2.9em] px-3 pt-2 text-sm leading-[1.45] [overflow-wrap:anywhere]" title={title}>
          {title}
        </span>
      </Link>
      <div className="px-3 pb-2.5">
        <div className="mt-1 flex items-center justify-between gap-2 text-xs">
          <span className="truncate text-muted" title={by}>{by}</span>
          <span className={`flex items-center gap-1 whitespace-nowrap ${stateLook[state]}`}>
            {state === "new" && <i aria-hidden="true" className="size-1.5 rounded-full bg-focus" />}
            {t(`state.${state}`)}
          </span>
        </div>
        {user !== undefined && (
          <div className="mt-1.5">
            <MaterialReactions agent={agent} material={material} user={user} />
          </div>
        )}
      </div>
      {dismissed ? (
        <p role="status" className="absolute left-1/2 top-[28%] flex -translate-x-1/2 items-center gap-1 whitespace-nowrap rounded-full bg-surface py-1 pl-4 pr-1 text-sm shadow-card">
          {t("tile.dismissed")}
          <button type="button" className="min-h-8 rounded-full px-3 font-medium underline underline-offset-3 hover:bg-sunken pointer-coarse:min-h-10" onClick={() => { onRestore(material.id); }}>
            {t("tile.undo")}
          </button>
        </p>
      ) : (
        user !== undefined && (
          <IconButton
            icon={chosen ? "check" : "plus"}
            label={t(chosen ? "tile.chosen" : "tile.choose", { title })}
            className={`absolute right-1 !rounded-full !border-0 pointer-coarse:bg-clip-content pointer-coarse:p-1.5 hover:not-disabled:text-white ${adopted ? "top-1" : "top-10 pointer-coarse:top-11"} ${chosen ? "bg-text text-surface hover:not-disabled:bg-text hover:not-disabled:!text-surface" : "bg-black/55 text-white opacity-0 focus-visible:opacity-100 group-hover:opacity-100 hover:not-disabled:bg-black/75 pointer-coarse:bg-black/45 pointer-coarse:opacity-100"}`}
            onClick={() => { onChoose(material); }}
          />
        )
      )}
      {!dismissed && !adopted && (
        <IconButton
          icon="close"
          label={t("tile.dismiss", { title })}
          className="absolute right-1 top-1 !rounded-full !border-0 bg-black/55 pointer-coarse:bg-clip-content pointer-coarse:p-1.5 text-white opacity-0 focus-visible:opacity-100 group-hover:opacity-100 hover:not-disabled:bg-black/75 hover:not-disabled:text-white pointer-coarse:bg-black/45 pointer-coarse:opacity-100"
          onClick={() => { onDismiss(material.id); }}
        />
      )}
    </article>
  );
});
