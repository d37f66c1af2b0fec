import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";

import { ConstraintFields } from "../../components/card/ConstraintFields";
import { differing, TextChanges } from "../../components/card/TextChanges";
import { useCommand } from "../../components/card/useCommand";
import { Button } from "../../components/ui/Button";
import { Field, TextField } from "../../components/ui/Field";
import { Notice } from "../../components/ui/Notice";
import { Problem } from "../../services/api";
import { refreshCards } from "../../services/cards";
import { baseMoved, documents, editGene, type Gene, type Texts } from "../../services/genes";
import { begin, carryOver, type Draft, keepDraft } from "./draft";

const longest = { document: 20_000, summary: 2_000 };

type Props = { agent: string; current: Gene; first: Draft; resumed: boolean };

export function EditGeneForm({ agent, current, first, resumed }: Props) {
  const { t } = useTranslation("gene");
  const { t: tc } = useTranslation("card");
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [draft, setDraft] = useState(first);
  const [kept, setKept] = useState(resumed);
  const changed = differing(draft.was, draft);
  const moved = current.version > draft.base;
  useEffect(() => {
    keepDraft(agent, changed.length > 0 || draft.summary !== "" ? draft : null);
  }, [agent, draft, changed.length]);
  const leave = () => {
    keepDraft(agent, null);
    void navigate({ to: "/a/$agent/gene", params: { agent }, search: {}, replace: true });
  };
  const save = useCommand(
    (edit: { base: number; change: Partial<Texts>; summary: string }, key) =>
      editGene(queries, agent, edit, key).catch(async (error: unknown) => {
        if (error instanceof Problem && error.reason === baseMoved) await refreshCards(queries, agent);
        throw error;
      }),
    () => {
      void refreshCards(queries, agent);
      leave();
    },
  );
  const refused = save.error instanceof Problem && save.error.reason === baseMoved ? null : save.error;
  const submit = () => {
    if (changed.length === 0 || moved) return;
    save.mutate({ base: draft.base, change: Object.fromEntries(changed.map((part) => [part, draft[part]])), summary: draft.summary.trim() });
  };
  return (
    <form
      className="grid gap-5"
      onSubmit={(e) => {
        e.preventDefault();
        submit();
      }}
    >
      {kept && (
        <p className="flex flex-wrap items-center gap-x-3 text-sm text-muted">
          {t("editing.resumed", { version: draft.base })}
          <Button small look="quiet" onClick={() => { setDraft(begin(current)); setKept(false); }}>{t("editing.anew")}</Button>
        </p>
      )}
      {draft.card !== "" && <p className="max-w-prose text-sm text-muted">{t("editing.from_card")}</p>}
      {draft.clashes > 0 && <p className="rounded-control bg-warn-ground px-3 py-2 text-sm text-warn">{t("editing.clashes", { count: draft.clashes })}</p>}
      {documents.map((document) => (
        <TextField
          key={document}
          label={tc(`part.${document}`)}
          hint={t(`about.${document}`)}
          value={draft[document]}
          maxLength={longest.document}
          spellCheck={false}
          className="field-sizing-content min-h-36 leading-relaxed"
          onChange={(e) => { setDraft({ ...draft, [document]: e.target.value }); }}
        />
      ))}
      <fieldset>
        <legend className="mb-1 font-medium">{tc("part.constraints")}</legend>
        <ConstraintFields value={draft.constraints} onChange={(constraints) => { setDraft({ ...draft, constraints }); }} />
      </fieldset>
      <Field label={t("editing.summary")} hint={t("editing.summary_why")} value={draft.summary} maxLength={longest.summary} onChange={(e) => { setDraft({ ...draft, summary: e.target.value }); }} />
      <section className="grid gap-2">
        <h2 className="text-sm font-semibold text-muted">{t("editing.preview", { version: draft.base })}</h2>
        <div className="rounded-card border border-line bg-surface px-4 py-3">
          <TextChanges from={draft.was} to={draft} authors={current.version === draft.base ? current : undefined} />
        </div>
      </section>
      {moved && (
        <section role="alert" className="grid gap-2 rounded-control border border-warn/40 bg-warn-ground p-3">
          <p className="text-sm font-semibold text-warn">{t("editing.moved", { version: current.version })}</p>
          <TextChanges from={draft.was} to={current} authors={undefined} />
          <div>
            <Button small onClick={() => { setDraft(carryOver(draft, current)); save.reset(); }}>{t("editing.carry", { version: current.version })}</Button>
          </div>
        </section>
      )}
      {refused && <Notice error={refused} onRetry={submit} />}
      {refused && <p className="text-sm text-muted">{t("editing.kept")}</p>}
      <div className="sticky bottom-0 -mx-1 flex flex-wrap gap-2 border-t border-line bg-canvas px-1 py-3">
        <Button type="submit" look="primary" disabled={changed.length === 0 || moved || save.isPending || save.isSuccess}>
          {save.isPending ? t("editing.busy") : t("editing.submit", { next: draft.base + 1 })}
        </Button>
        <Button disabled={save.isPending} onClick={leave}>{changed.length === 0 ? t("cancel") : t("editing.discard")}</Button>
      </div>
    </form>
  );
}
