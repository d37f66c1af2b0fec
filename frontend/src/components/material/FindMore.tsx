import { useState } from "react";
import { useTranslation } from "react-i18next";

import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Select, TextField } from "../ui/Field";
import { Notice } from "../ui/Notice";
import { type NewSearch, runCap } from "../../services/runs";
import { useWords } from "./words";

const targets = [6, 12, 24];

type Props = {
  open: boolean;
  /** The agent's sources. */
  sources: readonly string[];
  busy: boolean;
  error: unknown;
  onClose: () => void;
  onStart: (search: NewSearch) => void;
};

/** A search by hand. Pressing start is the nod to its cost, which is said before. */
export function FindMore({ open, sources, busy, error, onClose, onStart }: Props) {
  const { t } = useTranslation("materials");
  const words = useWords();
  const [search, setSearch] = useState<NewSearch>({ what: "", source: "", target: 12 });
  const start = () => {
    if (!busy) onStart({ ...search, what: search.what.trim() });
  };
  return (
    <Dialog
      open={open}
      onClose={onClose}
      width="narrow"
      title={t("more.title")}
      description={t("more.why", { cap: runCap })}
      footer={
        <>
          <Button onClick={onClose}>{t("more.cancel")}</Button>
          <Button look="primary" aria-disabled={busy} onClick={start}>{busy ? t("more.starting") : t("more.start")}</Button>
        </>
      }
    >
      <div className="grid gap-4">
        <TextField label={t("more.what")} placeholder={t("more.what_hint")} maxLength={2_000} value={search.what} onChange={(e) => { setSearch({ ...search, what: e.target.value }); }} />
        <div className="flex flex-wrap gap-4">
          <label className="grid gap-1">
            <span className="font-medium">{t("more.source")}</span>
            <Select label={t("more.source")} className="!min-h-10" value={search.source} onChange={(e) => { setSearch({ ...search, source: e.target.value }); }}>
              <option value="">{t("more.source_any")}</option>
              {sources.map((source) => (
                <option key={source} value={source}>{words.source(source)}</option>
              ))}
            </Select>
          </label>
          <label className="grid gap-1">
            <span className="font-medium">{t("more.target")}</span>
            <Select label={t("more.target")} className="!min-h-10" value={search.target} onChange={(e) => { setSearch({ ...search, target: Number(e.target.value) }); }}>
              {targets.map((n) => (
                <option key={n} value={n}>{n}</option>
              ))}
            </Select>
          </label>
        </div>
        {error !== null && error !== undefined && <Notice error={error} />}
      </div>
    </Dialog>
  );
}
