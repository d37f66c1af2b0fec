import { useTranslation } from "react-i18next";

import type { Part } from "../../services/genes";
import { InkButton } from "./InkButton";

type Props = {
  parts: Part[];
  base: number;
  applying: boolean;
  rejecting: boolean;
  onApply: (parts: Part[]) => void;
  onEdit: () => void;
  onReject: () => void;
};

/** The buttons of a waiting card. Applying starts a small search with the new version, which they say. */
export function CardActions({ parts, base, applying, rejecting, onApply, onEdit, onReject }: Props) {
  const { t } = useTranslation("card");
  const busy = applying || rejecting;
  return (
    <div className="mt-3.5 grid gap-2 in-[[role=dialog]]:sticky in-[[role=dialog]]:bottom-0 in-[[role=dialog]]:-mx-4 in-[[role=dialog]]:border-t in-[[role=dialog]]:border-ink-line in-[[role=dialog]]:bg-ink in-[[role=dialog]]:px-4 in-[[role=dialog]]:py-3">
      <div className="flex flex-wrap gap-2">
        <InkButton primary hint="A" disabled={busy} onClick={() => { onApply([]); }}>{applying ? t("apply.busy") : t("apply.all")}</InkButton>
        <InkButton hint="E" disabled={busy} onClick={onEdit}>{t("apply.edit")}</InkButton>
        <InkButton hint="D" disabled={busy} onClick={onReject}>{rejecting ? t("reject.busy") : t("apply.reject")}</InkButton>
      </div>
      {parts.length > 1 && (
        <p className="flex flex-wrap items-center gap-x-3 text-sm text-on-ink-muted">
          {t("apply.only")}
          {parts.map((part) => (
            <button
              key={part}
              type="button"
              disabled={busy}
              onClick={() => { onApply([part]); }}
              className="min-h-8 rounded text-on-ink underline underline-offset-2 disabled:opacity-60 pointer-coarse:min-h-10 focus-visible:outline-on-ink"
            >
              {t(`part.${part}`)}
            </button>
          ))}
        </p>
      )}
      <p className="text-xs text-on-ink-muted">{t("apply.then", { version: base + 1 })}</p>
    </div>
  );
}
