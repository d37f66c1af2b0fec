import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { Icon } from "../ui/Icon";
import { citeQuery, isOnShelf, type Ref } from "../../services/cards";

const types = ["material", "board", "film", "asset", "whole", "run", "card", "order", "version"] as const;

/** An object that a card or an order cites, by its title; a click opens it where it has a page. */
export function CiteLink({ agent, cite, onInk = false }: { agent: string; cite: Ref; onInk?: boolean }) {
  const { t } = useTranslation("card");
  const { data } = useQuery(citeQuery(agent, cite));
  const type = types.find((known) => known === cite.type);
  const kind = type === undefined ? cite.type : t(`object.${type}`);
  const part = [
    ...(cite.panel > 0 ? [t("object.panel", { n: cite.panel })] : []),
    ...(cite.to > 0 ? [t("object.range", { from: Math.round(cite.from), to: Math.round(cite.to) })] : []),
  ];
  const face = (
    <>
      {isOnShelf(cite.type) && (
        <span className={`grid size-9 shrink-0 place-items-center overflow-hidden rounded ${onInk ? "bg-ink-raised" : "bg-sunken"}`}>
          {data?.poster ? <img src={data.poster} alt="" loading="lazy" className="size-full object-cover" /> : <Icon name={cite.type === "board" ? "board" : cite.type === "film" ? "play" : "materials"} className={onInk ? "text-on-ink-muted" : "text-muted"} />}
        </span>
      )}
      <span className="min-w-0">
        <span className="line-clamp-1 [overflow-wrap:anywhere]">{data?.title || (cite.type === "version" ? cite.id : kind)}</span>
        <span className={`block text-xs ${onInk ? "text-on-ink-muted" : "text-muted"}`}>{[kind, ...part].join(" · ")}</span>
      </span>
    </>
  );
  return <Target agent={agent} cite={cite} className={`flex min-h-9 items-center gap-2 rounded text-sm pointer-coarse:min-h-10 ${onInk ? "focus-visible:outline-on-ink" : ""}`}>{face}</Target>;
}

function Target({ agent, cite, className, children }: { agent: string; cite: Ref; className: string; children: ReactNode }) {
  const hover = `${className} hover:underline underline-offset-2`;
  switch (cite.type) {
    case "material":
      return <Link to="/a/$agent/materials" params={{ agent }} search={{ m: cite.id }} className={hover}>{children}</Link>;
    case "board":
      return <Link to="/a/$agent/boards/$board" params={{ agent, board: cite.id }} search={cite.panel > 0 ? { panel: cite.panel } : {}} className={hover}>{children}</Link>;
    case "film":
      return <Link to="/a/$agent/films/$film" params={{ agent, film: cite.id }} search={cite.from > 0 ? { at: cite.from } : {}} className={hover}>{children}</Link>;
    case "run":
      return <Link to="/a/$agent/tasks" params={{ agent }} search={{ run: cite.id }} className={hover}>{children}</Link>;
    case "card":
      return <Link to="/a/$agent/gene" params={{ agent }} search={{ card: cite.id }} className={hover}>{children}</Link>;
    default:
      return <span className={className}>{children}</span>;
  }
}
