import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { useRoomStore } from "../../live/useRoom";
import type { Row, RunEndRow } from "../../live/wire";
import { Icon } from "../ui/Icon";
import { useFormat } from "../ui/useFormat";

type Asked = Extract<Row, { type: "run_asked" }>;
const works = ["search", "digest", "board", "film", "analyze"] as const;
const whys = ["finished", "rounds", "tokens", "cost", "time", "stuck", "model", "source", "input", "worker_lost", "cancelled", "people_came", "internal"] as const;
const products = ["material", "board", "film", "card"] as const;
const link = "whitespace-nowrap rounded text-muted underline underline-offset-[3px] hover:text-text pointer-coarse:py-2";

/** The word for a kind of work. */
export function useWorkWord(): (work: string) => string {
  const { t } = useTranslation("room");
  return (work) => {
    const known = works.find((w) => w === work);
    return known ? t(`work.${known}`) : work;
  };
}

/** The system's record: how a run began or ended. It stands in the centre. */
export function RecordLine({ row }: { row: Asked | RunEndRow }) {
  const format = useFormat();
  return (
    <article className="group mx-auto flex w-fit max-w-[92%] flex-wrap items-baseline justify-center gap-x-2 text-center text-sm text-muted" title={format.dateTime(row.time)} data-row={row.type}>
      {row.type === "run_finished" ? <Ended row={row} /> : <Began row={row} />}
    </article>
  );
}

function Began({ row }: { row: Asked }) {
  const { t } = useTranslation("room");
  const { agent } = useRoomStore();
  const word = useWorkWord();
  const { trigger, work } = row.body;
  return (
    <>
      <span>{trigger === "first" ? t("run.first") : trigger === "daily" ? t("run.daily") : t("run.asked", { work: word(work) })}</span>
      {row.ref !== undefined && <Link className={link} to="/a/$agent/tasks" params={{ agent }} search={{ run: row.ref }}>{t("run.task")}</Link>}
    </>
  );
}

function Ended({ row }: { row: RunEndRow }) {
  const { t } = useTranslation("room");
  const { agent } = useRoomStore();
  const work = useWorkWord()(row.body.work);
  const { outcome, counts = {}, gene_version: v } = row.body;
  const listed = Object.entries(counts).map(([type, n]) => t(`run.count.${products.find((p) => p === type) ?? "other"}`, { n }));
  const found = listed.length > 0 ? listed.join(t("and")) : t("run.none");
  const why = t(`run.why.${whys.find((w) => w === row.body.reason) ?? "internal"}`);
  const done = outcome === "done";
  const sentence = done ? t("run.done", { work, found }) : outcome === "cancelled" ? t("run.cancelled", { work, found }) : t("run.failed", { work, why });
  const materials = (counts.material ?? 0) > 0;
  const made = row.refs?.find((ref) => ref.type === "board" || ref.type === "film");
  return (
    <>
      <Icon name={done ? "check" : outcome === "cancelled" ? "stop" : "alert"} className={`size-3.5 self-center ${done ? "text-good" : outcome === "failed" ? "text-bad" : ""}`} />
      <span className={outcome === "failed" ? "text-bad" : ""}>{sentence}</span>
      {v > 0 && <span className="font-mono text-[11px]">{t("run.version", { v })}</span>}
      {done && materials && row.ref !== undefined && <Link className={link} to="/a/$agent/materials" params={{ agent }} search={{ run: row.ref }}>{t("run.view")}</Link>}
      {made?.id !== undefined && made.type === "board" && <Link className={link} to="/a/$agent/boards/$board" params={{ agent, board: made.id }}>{t("run.board")}</Link>}
      {made?.id !== undefined && made.type === "film" && <Link className={link} to="/a/$agent/films/$film" params={{ agent, film: made.id }}>{t("run.film")}</Link>}
      {row.ref !== undefined && (!done || (!materials && made === undefined)) && <Link className={link} to="/a/$agent/tasks" params={{ agent }} search={{ run: row.ref }}>{t("run.task")}</Link>}
    </>
  );
}
