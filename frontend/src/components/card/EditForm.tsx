import { useState } from "react";
import { useTranslation } from "react-i18next";

import type { Application, Card } from "../../services/cards";
import { partsOfCard } from "../../services/cards";
import type { Gene, Texts } from "../../services/genes";
import { ConstraintFields } from "./ConstraintFields";
import { InkButton } from "./InkButton";
import { differing, TextChanges } from "./TextChanges";

type Props = {
  card: Card;
  authors: Gene | undefined;
  busy: boolean;
  onApply: (application: Application) => void;
  onCancel: () => void;
};

/** The card's texts, to be changed before they are applied. What is left as it is counts as the butler's. */
export function EditForm({ card, authors, busy, onApply, onCancel }: Props) {
  const { t } = useTranslation("card");
  const [texts, setTexts] = useState<Partial<Texts>>(card.change);
  const edited = differing({ ...card.was, ...card.change }, texts);
  const wanted = differing(card.was, texts);
  const edit: Partial<Texts> = Object.fromEntries(edited.filter((part) => wanted.includes(part)).map((part) => [part, texts[part]]));
  return (
    <form
      className="mt-1 grid gap-3"
      onSubmit={(e) => {
        e.preventDefault();
        if (wanted.length > 0) onApply({ parts: wanted.length === partsOfCard(card).length ? [] : wanted, edit });
      }}
    >
      {partsOfCard(card).map((part, i) => {
        if (part === "constraints") {
          return (
            <fieldset key={part} className="text-sm">
              <legend className="mb-1 text-xs text-on-ink-muted">{t("part.constraints")}</legend>
              <ConstraintFields value={texts.constraints ?? card.was.constraints} disabled={busy} onChange={(constraints) => { setTexts({ ...texts, constraints }); }} />
            </fieldset>
          );
        }
        return (
          <label key={part} className="block">
            <span className="mb-1 block text-xs text-on-ink-muted">{t(`part.${part}`)}</span>
            <textarea
              value={texts[part] ?? ""}
              disabled={busy}
              autoFocus={i === 0} // eslint-disable-line jsx-a11y/no-autofocus -- the person just asked for this form
              onChange={(e) => { setTexts({ ...texts, [part]: e.target.value }); }}
              onKeyDown={(e) => { if (e.key === "Escape") onCancel(); }}
              className="field-sizing-content block max-h-80 min-h-32 w-full resize-y rounded-control border border-ink-line bg-surface px-3 py-2 text-sm leading-relaxed text-text max-sm:text-[16px]"
            />
          </label>
        );
      })}
      <div role="group" aria-label={t("edit.preview", { version: card.base })} className="grid gap-1 border-t border-ink-line pt-3">
        <p aria-hidden="true" className="text-xs font-semibold text-on-ink-muted">{t("edit.preview", { version: card.base })}</p>
        <TextChanges from={card.was} to={texts} authors={authors} onInk />
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <InkButton type="submit" primary disabled={busy || wanted.length === 0}>{busy ? t("apply.busy") : edited.length > 0 ? t("edit.submit") : t("edit.unchanged")}</InkButton>
        <InkButton disabled={busy} onClick={onCancel}>{t("cancel")}</InkButton>
      </div>
    </form>
  );
}
