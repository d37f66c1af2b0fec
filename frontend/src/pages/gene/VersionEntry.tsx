import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { useNames } from "../../components/card/useNames";
import { Time } from "../../components/ui/Time";
import type { People, Version } from "../../services/genes";
import type { RateName, Scores } from "../../services/performance";
import { ScoreBar } from "./ScoreBar";
import type { GeneSearch } from "./search";

type Props = {
  agent: string;
  version: Version;
  people: People;
  current: number;
  scores: Scores | undefined;
  metric: RateName;
  top: number;
  /** It is being compared or previewed. */
  open: boolean;
  mayWrite: boolean;
};

const way = "inline-flex items-center rounded font-medium underline-offset-2 hover:text-text hover:underline pointer-coarse:min-h-10";

/** One version: what it is, who made it of what, what came of it, and the ways from here. */
export function VersionEntry({ agent, version: v, people, current, scores, metric, top, open, mayWrite }: Props) {
  const { t } = useTranslation("gene");
  const isCurrent = v.version === current;
  const dot = isCurrent ? "border-text bg-text" : open ? "border-text bg-canvas" : "border-line-strong bg-canvas";
  const go = (search: GeneSearch, words: string) => (
    <Link to="/a/$agent/gene" params={{ agent }} search={(old) => ({ ...(old.metric === undefined ? {} : { metric: old.metric }), ...search })} className={way}>
      {words}
    </Link>
  );
  return (
    <li className="relative grid gap-1" aria-current={isCurrent ? "true" : undefined}>
      <span aria-hidden="true" className={`absolute -left-[22px] top-[7px] size-[11px] rounded-full border-2 ${dot}`} />
      <div className="flex items-baseline gap-2">
        <b className="font-mono text-sm">{`V${v.version}`}</b>
        {isCurrent && <span className="text-sm">{t("current")}</span>}
        <Time at={v.at} look="shortDay" className="ml-auto text-xs text-muted" />
      </div>
      <p className="[overflow-wrap:anywhere]">{v.summary || summaryOf(v)}</p>
      <Who version={v} people={people} />
      {scores && <ScoreBar scores={scores} version={v.version} metric={metric} top={top} />}
      <div className="flex flex-wrap gap-x-4 gap-y-0.5 text-xs text-muted">
        {v.card && go({ card: v.card }, t("card"))}
        {v.version > 1 && go({ from: v.version - 1, to: v.version }, t("what_changed"))}
        {!isCurrent && v.version !== current - 1 && go({ from: v.version, to: current }, t("compare_now"))}
        <Link to="/a/$agent/past" params={{ agent }} search={{ at: `V${v.version}` }} className={way}>{t("room_then")}</Link>
        {!isCurrent && mayWrite && go({ rollback: v.version }, t("roll_back"))}
      </div>
    </li>
  );
  function summaryOf({ origin, rolledBackTo }: Version): string {
    if (origin === "created") return t("first_version");
    if (origin === "rollback") return t("like_version", { version: rolledBackTo });
    return t("no_summary");
  }
}

function Who({ version: v, people }: { version: Version; people: People }): ReactNode {
  const { t } = useTranslation("gene");
  const nameOf = useNames();
  const by = nameOf(v.by, people);
  const said = {
    created: t("who.created", { by }),
    card: t("who.card", { by, proposer: nameOf(v.proposedBy, people) }),
    edit: t("who.edit", { by }),
    rollback: t("who.rollback", { by, version: v.rolledBackTo }),
  }[v.origin];
  return <p className="text-xs text-muted">{said}</p>;
}
