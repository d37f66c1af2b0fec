import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import type { NewSearch } from "../../services/runs";
import { useRunCap } from "../frame/session";
import { inUse } from "../source/choice";
import { SourceOption } from "../source/SourceOption";
import { useSources } from "../source/useSources";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Select, TextField } from "../ui/Field";
import { Notice } from "../ui/Notice";

const targets = [6, 12, 24];

type Props = {
  agent: string;
  /** The source to begin with, "any" to leave it to the searcher; not open without. */
  find: string | undefined;
  /** The sources that the agent names. */
  named: readonly string[];
  busy: boolean;
  error: unknown;
  onClose: () => void;
  onStart: (search: NewSearch) => void;
};

/** A search by hand. Pressing start is the nod to its cost, which is said before. */
export function FindMore({ agent, find, named, busy, error, onClose, onStart }: Props) {
  const { t } = useTranslation("materials");
  const { t: ts } = useTranslation("sources");
  const cap = useRunCap();
  const sources = useSources();
  const list = useList();
  const used = inUse(named, sources).map((name) => sources.find((s) => s.name === name)?.title ?? name);
  const [search, setSearch] = useState<NewSearch>({ what: "", source: "", target: 12 });
  const [asked, setAsked] = useState<string>();
  if (asked !== find) {
    // What was written before stays; where to look is what was pressed.
    setAsked(find);
    const source = sources.find((s) => s.name === find && s.configured)?.name ?? "";
    if (find !== undefined) setSearch({ ...search, source });
  }
  const start = () => {
    if (!busy) onStart({ ...search, what: search.what.trim() });
  };
  return (
    <Dialog
      open={find !== undefined}
      onClose={onClose}
      title={t("more.title")}
      description={t("more.why", { cap })}
      footer={
        <>
          <Button onClick={onClose}>{t("more.cancel")}</Button>
          <Button look="primary" aria-disabled={busy} onClick={start}>{busy ? t("more.starting") : t("more.start")}</Button>
        </>
      }
    >
      <div className="grid gap-4">
        <TextField label={t("more.what")} placeholder={t("more.what_hint")} data-autofocus maxLength={2_000} value={search.what} onChange={(e) => { setSearch({ ...search, what: e.target.value }); }} />
        <fieldset>
          <legend className="mb-1 font-medium">{t("more.source")}</legend>
          <div className="divide-y divide-line overflow-hidden rounded-control border border-line">
            <SourceOption kind="radio" field="source" title={t("more.source_any")} checked={search.source === ""} onChange={() => { setSearch({ ...search, source: "" }); }}>
              {t("more.source_any_why", { list: list(used) })}
            </SourceOption>
            {sources.map((s) => (
              <SourceOption key={s.name} kind="radio" field="source" title={s.title} checked={search.source === s.name} disabled={!s.configured} onChange={() => { setSearch({ ...search, source: s.name }); }}>
                {search.source === s.name && <span className="block">{s.what}</span>}
                <span className={`block ${search.source === s.name ? "text-text" : ""}`}>{s.cost}</span>
              </SourceOption>
            ))}
          </div>
          <p className="mt-1 text-sm">
            <Link to="/a/$agent/gene" params={{ agent }} search={{ sources: true }} className="inline-flex items-center text-muted underline underline-offset-3 hover:text-text pointer-coarse:min-h-10">
              {ts("edit")}
            </Link>
          </p>
        </fieldset>
        <label className="flex items-center gap-3">
          <span className="font-medium">{t("more.target")}</span>
          <Select label={t("more.target")} className="!min-h-10" value={search.target} onChange={(e) => { setSearch({ ...search, target: Number(e.target.value) }); }}>
            {targets.map((n) => (
              <option key={n} value={n}>{n}</option>
            ))}
          </Select>
        </label>
        {error !== null && error !== undefined && <Notice error={error} />}
      </div>
    </Dialog>
  );
}

function useList(): (words: string[]) => string {
  const { i18n } = useTranslation();
  const format = new Intl.ListFormat(i18n.language, { type: "unit" });
  return (words) => format.format(words);
}
