import { useState } from "react";
import { useTranslation } from "react-i18next";

import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { TextField } from "../ui/Field";
import { Notice } from "../ui/Notice";
import { useRunCap } from "../frame/session";

type Props = {
  open: boolean;
  /** What it is for: a first board, or a new version of one. */
  kind: "first" | "again";
  /** Materials that were chosen for it. */
  chosen?: { id: string; title: string; poster: string | null }[];
  /** Panels of the base that will stay as they are. */
  kept?: number[];
  busy: boolean;
  error: unknown;
  onClose: () => void;
  onStart: (what: string) => void;
};

/** A board ordered in words. Pressing start is the nod to its cost, which is said before. */
export function OrderBoard({ open, kind, chosen = [], kept = [], busy, error, onClose, onStart }: Props) {
  const { t, i18n } = useTranslation("boards");
  const cap = useRunCap();
  const [what, setWhat] = useState("");
  const list = new Intl.ListFormat(i18n.language, { type: "unit" });
  // A new version says what shall be different, or has panels that were spoken of.
  const ready = !busy && (kind === "first" || what.trim() !== "" || kept.length > 0);
  const start = () => {
    if (ready) onStart(what.trim());
  };
  return (
    <Dialog
      open={open}
      onClose={onClose}
      width="narrow"
      title={t(kind === "first" ? "order.title" : "order.again")}
      description={t(kind === "first" ? "order.why" : "order.again_why", { cap })}
      footer={
        <>
          <Button onClick={onClose}>{t("order.cancel")}</Button>
          <Button look="primary" aria-disabled={!ready} onClick={start}>{busy ? t("order.starting") : t("order.start")}</Button>
        </>
      }
    >
      <div className="grid gap-4">
        {chosen.length > 0 && (
          <div>
            <p className="mb-1 font-medium">{t("order.chosen", { n: chosen.length })}</p>
            <ul className="flex flex-wrap gap-1.5">
              {chosen.map((c) => (
                <li key={c.id} title={c.title}>
                  {c.poster === null ? (
                    <span className="grid h-16 w-12 place-content-center overflow-hidden rounded bg-sunken px-1 text-center text-[11px] leading-tight text-muted">{Array.from(c.title).slice(0, 8).join("")}</span>
                  ) : (
                    <img src={c.poster} alt={c.title} className="h-16 w-12 rounded bg-sunken object-cover" />
                  )}
                </li>
              ))}
            </ul>
          </div>
        )}
        {kept.length > 0 && <p className="rounded-control bg-good-ground px-3 py-2 text-good">{t("order.kept", { list: list.format(kept.map(String)) })}</p>}
        <TextField
          label={t(kind === "first" ? "order.what" : "order.change")}
          placeholder={t(kind === "first" ? "order.what_hint" : "order.change_hint")}
          maxLength={2_000}
          data-autofocus
          value={what}
          onChange={(e) => { setWhat(e.target.value); }}
        />
        {error !== null && error !== undefined && <Notice error={error} />}
      </div>
    </Dialog>
  );
}
