import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { useRoomStore } from "../../live/useRoom";
import type { Ref } from "../../live/wire";
import { citedQuery } from "../../services/room";

const look = "inline-flex max-w-full items-center gap-1 rounded-full border border-line bg-surface px-2 text-xs leading-5 text-muted";

/** What a row cites, each leading to its page. */
export function CitedList({ refs }: { refs: Ref[] | null | undefined }) {
  const { t } = useTranslation("room");
  if (!refs || refs.length === 0) return null;
  return (
    <ul aria-label={t("cites")} className="mt-1 flex flex-wrap gap-1">
      {refs.map((ref) => <li key={`${ref.type}:${ref.id ?? ""}:${ref.panel ?? ""}`} className="min-w-0"><Cited refTo={ref} /></li>)}
    </ul>
  );
}

export const objectKinds = ["material", "board", "film", "asset", "run", "card", "order", "version", "whole"] as const;

/** The word for a kind of object. */
export function useObjectWord(): (type: string) => string {
  const { t } = useTranslation("room");
  return (type) => {
    const known = objectKinds.find((k) => k === type);
    return known ? t(`object.${known}`) : type;
  };
}

export function Cited({ refTo }: { refTo: Ref }) {
  const { agent } = useRoomStore();
  const { t } = useTranslation("room");
  const word = useObjectWord()(refTo.type);
  const { data } = useQuery(citedQuery(agent, refTo));
  const name = data?.title || word;
  const { id, panel = 0, from = 0, to = 0 } = refTo;
  const part = panel > 0 ? t("part.panel", { n: panel }) : to > 0 ? t("part.range", { from: Math.round(from), to: Math.round(to) }) : "";
  const hover = `${look} underline-offset-2 hover:text-text hover:underline`;
  const face = (
    <>
      {data !== undefined && data.poster !== "" && <img src={data.poster} alt="" className="h-4 w-3 rounded-sm object-cover" />}
      <span className="truncate">{name}</span>
      {part !== "" && <span className="whitespace-nowrap">{part}</span>}
    </>
  );
  if (id !== undefined && refTo.type === "material") return <Link to="/a/$agent/materials" params={{ agent }} search={{ m: id }} className={hover}>{face}</Link>;
  if (id !== undefined && refTo.type === "board") return <Link to="/a/$agent/boards/$board" params={{ agent, board: id }} search={panel > 0 ? { panel } : {}} className={hover}>{face}</Link>;
  if (id !== undefined && refTo.type === "film") return <Link to="/a/$agent/films/$film" params={{ agent, film: id }} search={from > 0 ? { at: from } : {}} className={hover}>{face}</Link>;
  return <span className={look}>{face}</span>;
}
