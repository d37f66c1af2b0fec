import { useState } from "react";
import { useTranslation } from "react-i18next";

import { InkButton } from "./InkButton";

/** Why an order is declined; it may stay unsaid. */
export function DeclineForm({ busy, onDecline, onCancel }: { busy: boolean; onDecline: (why: string) => void; onCancel: () => void }) {
  const { t } = useTranslation("card");
  const [why, setWhy] = useState("");
  return (
    <form
      className="mt-3 grid gap-2 border-t border-ink-line pt-3"
      onSubmit={(e) => {
        e.preventDefault();
        onDecline(why.trim());
      }}
    >
      <textarea
        aria-label={t("order.why")}
        placeholder={t("order.why")}
        maxLength={2_000}
        rows={2}
        autoFocus // eslint-disable-line jsx-a11y/no-autofocus -- the person just asked for this form
        value={why}
        disabled={busy}
        onChange={(e) => { setWhy(e.target.value); }}
        onKeyDown={(e) => { if (e.key === "Escape") onCancel(); }}
        className="block w-full resize-y rounded-control border border-ink-line bg-surface px-3 py-2 text-text placeholder:text-muted max-sm:text-[16px]"
      />
      <div className="flex flex-wrap gap-2">
        <InkButton type="submit" primary disabled={busy}>{busy ? t("order.declining") : t("order.decline")}</InkButton>
        <InkButton disabled={busy} onClick={onCancel}>{t("cancel")}</InkButton>
      </div>
    </form>
  );
}
