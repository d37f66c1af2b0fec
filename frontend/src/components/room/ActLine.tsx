import { useTranslation } from "react-i18next";

import type { Row } from "../../live/wire";
import { useFormat } from "../ui/useFormat";
import { Cited, useObjectWord } from "./Cited";
import { useWorkWord } from "./RecordLine";
import { useSpeaker } from "./speech";

export type ActRow = Exclude<Row, { type: "chat" | "turn" | "card" | "order" | "run_finished" | "run_asked" }>;

/** What somebody did on the pages: one short line on the right. */
export function ActLine({ row }: { row: ActRow }) {
  const who = useSpeaker()(row.actor);
  const format = useFormat();
  const act = useAct(row);
  const words = wordsOf(row);
  return (
    <article className="group ml-auto flex w-fit max-w-[92%] flex-col items-end" title={format.dateTime(row.time)} data-row={row.type}>
      <p className="flex max-w-full flex-wrap items-center gap-x-1.5 rounded-2xl border border-dashed border-line-strong px-3 py-px text-sm text-muted">
        <span>{who.name}</span>
        <span>{act}</span>
        {row.type === "feedback" && <Cited refTo={row.body.object} />}
      </p>
      {words !== "" && <p className="mt-1 w-fit max-w-full whitespace-pre-wrap rounded-xl rounded-br-sm bg-sunken px-3 py-1.5 text-sm [overflow-wrap:anywhere]">{words}</p>}
    </article>
  );
}

function wordsOf(row: ActRow): string {
  switch (row.type) {
    case "card_rejected":
    case "order_declined":
      return [...(row.body.chips ?? []), row.body.reason ?? ""].filter((w) => w !== "").join(" · ");
    case "gene_edited":
    case "gene_rolled_back":
      return row.body.summary;
    case "run_ordered":
      return row.body.request.what ?? "";
    case "feedback":
      return row.body.withdrawn === true ? "" : row.body.words;
    default:
      return "";
  }
}

const documents = ["search", "steer", "constraints"] as const;

function useAct(row: ActRow): string {
  const { t } = useTranslation("room");
  const work = useWorkWord();
  const object = useObjectWord();
  switch (row.type) {
    case "card_applied": {
      const v = row.body.version ?? 0;
      if (row.body.edited === true) return t("act.card_applied_edited", { v });
      const part = (row.body.documents ?? []).flatMap((d) => documents.filter((k) => k === d)).map((d) => t(`act.documents.${d}`));
      return part.length > 0 ? t("act.card_applied_part", { v, documents: part.join(t("and")) }) : t("act.card_applied", { v });
    }
    case "card_rejected":
      return t("act.card_rejected");
    case "order_confirmed":
      return t("act.order_confirmed");
    case "order_declined":
      return t("act.order_declined");
    case "gene_edited":
      return t("act.gene_edited", { v: row.body.version });
    case "gene_rolled_back":
      return t("act.gene_rolled_back", { v: row.body.version, to: row.body.rolled_back_to ?? 0 });
    case "run_ordered":
      if (row.body.trigger === "retry") return t("act.retried", { work: work(row.body.work) });
      if (row.body.trigger === "budget") return t("act.continued", { work: work(row.body.work) });
      return t("act.run_ordered", { work: work(row.body.work) });
    case "feedback":
      if (row.body.withdrawn === true) return t("act.withdrawn");
      return [row.body.verdict === "like" ? t("act.like") : row.body.verdict === "dislike" ? t("act.dislike") : "", t("act.feedback", { object: object(row.body.object.type) })].filter((w) => w !== "").join(" · ");
    case "reactions": {
      const { likes, dislikes, downloads } = row.body;
      const what = [likes > 0 && t("act.likes", { n: likes }), dislikes > 0 && t("act.dislikes", { n: dislikes }), downloads > 0 && t("act.downloads", { n: downloads })].filter((w) => w !== false);
      return what.length === 0 ? t("act.no_reactions") : t("act.reactions", { what: what.join(t("and")), n: row.body.objects, object: object(row.body.object) });
    }
    case "board_edited":
      return t("act.board_edited", { title: row.body.title });
    case "asset_uploaded":
      return t("act.asset_uploaded", { title: row.body.title });
  }
}
