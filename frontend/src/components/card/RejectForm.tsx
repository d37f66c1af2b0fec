import { useState } from "react";
import { useTranslation } from "react-i18next";

import type { Rejection } from "../../services/cards";
import { InkButton } from "./InkButton";

const chips = ["direction", "evidence", "narrow", "broad", "later", "mine"] as const;

const longest = 2_000;

/** Why not: reasons to pick, and words. The butler reads both, so one of them is needed. */
export function RejectForm({ busy, onReject, onCancel }: { busy: boolean; onReject: (rejection: Rejection) => void; onCancel: () => void }) {
  const { t } = useTranslation("card");
  const [picked, setPicked] = useState<readonly string[]>([]);
  const [reason, setReason] = useState("");
  const [asked, setAsked] = useState(false);
  const missing = picked.length === 0 && reason.trim() === "";
  return (
    <form
      className="mt-3 grid gap-2 border-t border-ink-line pt-3"
      onSubmit={(e) => {
        e.preventDefault();
        if (missing) setAsked(true);
        else onReject({ reason: reason.trim(), chips: chips.filter((chip) => picked.includes(chip)).map((chip) => t(`chip.${chip}`)) });
      }}
    >
      <fieldset className="contents">
        <legend className="text-sm font-semibold">{t("reject.why")}</legend>
        <div className="flex flex-wrap gap-1.5">
          {chips.map((chip) => {
            const on = picked.includes(chip);
            return (
              <button
                key={chip}
                type="button"
                aria-pressed={on}
                disabled={busy}
                onClick={() => { setPicked(on ? picked.filter((p) => p !== chip) : [...picked, chip]); }}
                className={`min-h-7 rounded-full border px-3 text-sm pointer-coarse:min-h-10 focus-visible:outline-on-ink ${on ? "border-on-ink bg-on-ink font-semibold text-ink" : "border-ink-line hover:bg-ink-raised"}`}
              >
                {t(`chip.${chip}`)}
              </button>
            );
          })}
        </div>
      </fieldset>
      <textarea
        aria-label={t("reject.words")}
        placeholder={t("reject.words")}
        maxLength={longest}
        rows={2}
        autoFocus // eslint-disable-line jsx-a11y/no-autofocus -- the person just asked for this form
        value={reason}
        disabled={busy}
        onChange={(e) => { setReason(e.target.value); }}
        onKeyDown={(e) => { if (e.key === "Escape") onCancel(); }}
        className="block w-full resize-y rounded-control border border-ink-line bg-surface px-3 py-2 text-text placeholder:text-muted max-sm:text-[16px]"
      />
      {asked && missing && <p role="alert" className="text-sm">{t("reject.missing")}</p>}
      <div className="flex flex-wrap gap-2">
        <InkButton type="submit" primary disabled={busy}>{busy ? t("reject.busy") : t("reject.submit")}</InkButton>
        <InkButton disabled={busy} onClick={onCancel}>{t("cancel")}</InkButton>
      </div>
    </form>
  );
}
