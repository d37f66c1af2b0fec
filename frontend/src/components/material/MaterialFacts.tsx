import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { Version } from "../ui/Badge";
import { Icon } from "../ui/Icon";
import { useFormat } from "../ui/useFormat";
import type { Material, MaterialDetail } from "../../services/materials";
import { Part } from "./Part";
import { useWords, webAddress } from "./words";

/** Where it comes from at its platform, and how it did there. */
export function Post({ material: m }: { material: Material }) {
  const { t } = useTranslation("materials");
  const format = useFormat();
  const words = useWords();
  const link = webAddress(m.url);
  const counts = (["plays", "likes", "shares", "comments"] as const).filter((c) => m.counts[c] > 0);
  return (
    <div className="text-sm text-muted">
      <p className="flex flex-wrap items-center gap-x-3">
        <span className="[overflow-wrap:anywhere]">{[words.platform(m.platform), m.author].filter((p) => p !== "").join(" · ")}</span>
        {m.published && <span>{t("detail.published", { at: format.shortDay(m.published) })}</span>}
        {link !== null && (
          <a href={link} target="_blank" rel="noopener noreferrer" className="inline-flex items-center gap-1 underline underline-offset-3 hover:text-text">
            <Icon name="link" className="size-3.5" />
            {t("detail.original")}
          </a>
        )}
      </p>
      {counts.length > 0 && (
        <p className="flex flex-wrap gap-x-3 tabular-nums">
          {counts.map((c) => <span key={c}>{t(`detail.${c}`, { n: format.compact(m.counts[c]) })}</span>)}
        </p>
      )}
      {m.tags.length > 0 && <p lang="" className="[overflow-wrap:anywhere]">{m.tags.map((tag) => `#${tag}`).join(" ")}</p>}
    </div>
  );
}

/** The searcher's reason, in its words. */
export function Why({ text }: { text: string }) {
  const { t } = useTranslation("materials");
  if (text === "") return null;
  return (
    <Part title={t("detail.why")}>
      <p lang="" className="text-muted [overflow-wrap:anywhere]">{text}</p>
    </Part>
  );
}

export function UsedIn({ agent, use }: { agent: string; use: MaterialDetail["usedIn"] }) {
  const { t, i18n } = useTranslation("materials");
  const list = new Intl.ListFormat(i18n.language, { type: "unit" });
  return (
    <Part title={t("detail.used")}>
      {use.boards.length === 0 && use.films.length === 0 ? (
        <p className="text-muted">{t("detail.unused")}</p>
      ) : (
        <ul className="grid gap-1.5">
          {use.boards.map((b) => (
            <li key={b.id} className="flex flex-wrap items-center gap-x-2">
              <Icon name="board" className="text-muted" />
              <Link to="/a/$agent/boards/$board" params={{ agent, board: b.id }} search={b.panels[0] === undefined ? {} : { panel: b.panels[0] }} className="underline underline-offset-3 [overflow-wrap:anywhere]">{t("detail.board", { title: b.title })}</Link>
              <span className="text-muted">{t("detail.panels", { list: list.format(b.panels.map(String)) })}</span>
              <Version n={b.version} />
            </li>
          ))}
          {use.films.map((f) => (
            <li key={f.id} className="flex items-center gap-2">
              <Icon name="play" className="text-muted" />
              <Link to="/a/$agent/films/$film" params={{ agent, film: f.id }} className="underline underline-offset-3">{t("detail.film")}</Link>
              <Version n={f.version} />
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}

/** The gene version and the run that found it. */
export function Origin({ agent, material: m }: { agent: string; material: Material }) {
  const { t } = useTranslation("materials");
  const format = useFormat();
  const words = useWords();
  const link = "text-muted underline underline-offset-3 hover:text-text";
  return (
    <Part title={t("detail.origin")}>
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1">
        {m.version > 0 && <span>{t("detail.found_with", { n: m.version })}</span>}
        <span className="text-muted">{t("detail.found_by", { source: words.source(m.source), at: format.dateTime(m.savedAt) })}</span>
        {m.run !== "" && <Link to="/a/$agent/tasks" params={{ agent }} search={{ run: m.run }} className={link}>{t("detail.task")}</Link>}
        <Link to="/a/$agent/gene" params={{ agent }} className={link}>{t("detail.gene")}</Link>
      </p>
    </Part>
  );
}
