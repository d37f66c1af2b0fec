import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type SyntheticEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import { SourceChecks } from "../../components/source/SourceChecks";
import { useSources } from "../../components/source/useSources";
import { Button } from "../../components/ui/Button";
import { Field, TextField } from "../../components/ui/Field";
import { Notice } from "../../components/ui/Notice";
import { agentQuery, createAgent, type NewAgent } from "../../services/agents";
import { ulid } from "../../services/api";
import { checkAgent, type Faults } from "./check";

/** Name, brief, first search document and sources; creating starts the first search and leads to it. */
export function CreateAgent({ product, onCancel }: { product: string; onCancel: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const sources = useSources();
  const form = useRef<HTMLFormElement>(null);
  const [agent, setAgent] = useState<NewAgent>({ name: "", brief: "", search: "", sources: ["fast"] });
  const [faults, setFaults] = useState<Faults>({});
  // Of what is in the form now: a retry of the same content cannot create a second agent.
  const [key, setKey] = useState(() => ulid());
  const create = useMutation({
    mutationFn: (what: NewAgent) => createAgent(product, what, key),
    onSuccess: async ({ agent: id, seq }) => {
      await queries.query(agentQuery(id, seq)).catch(() => undefined); // the page reads it anew
      await navigate({ to: "/a/$agent/materials", params: { agent: id } });
    },
  });

  const change = (part: Partial<NewAgent>) => {
    setAgent({ ...agent, ...part });
    setFaults({});
    setKey(ulid());
  };
  const send = (event: SyntheticEvent) => {
    event.preventDefault();
    if (create.isPending) return;
    const found = checkAgent(agent, sources);
    setFaults(found);
    const first = (["name", "brief", "search", "sources"] as const).find((field) => found[field] !== undefined);
    if (first) form.current?.querySelector<HTMLElement>(`[name=${first}]`)?.focus();
    else create.mutate({ ...agent, name: agent.name.trim(), brief: agent.brief.trim(), search: agent.search.trim() });
  };
  const told = (field: Exclude<keyof Faults, "sources">) => (faults[field] === undefined ? {} : { error: t(`create.${faults[field]}`) });

  return (
    <form ref={form} noValidate onSubmit={send} className="grid gap-4">
      <Field label={t("create.name")} name="name" autoComplete="off" hint={t("create.name_hint")} value={agent.name} onChange={(e) => { change({ name: e.target.value }); }} {...told("name")} />
      <TextField label={t("create.brief")} name="brief" rows={2} hint={t("create.brief_hint")} value={agent.brief} onChange={(e) => { change({ brief: e.target.value }); }} {...told("brief")} />
      <TextField label={t("create.search")} name="search" rows={5} hint={t("create.search_hint")} value={agent.search} onChange={(e) => { change({ search: e.target.value }); }} {...told("search")} />
      <SourceChecks legend={t("create.sources")} sources={sources} chosen={agent.sources} fault={faults.sources ?? null} onChange={(chosen) => { change({ sources: chosen }); }} />
      {create.error && <Notice error={create.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>{t("create.cancel")}</Button>
        <Button type="submit" look="primary" aria-disabled={create.isPending}>{create.isPending ? t("create.busy") : t("create.submit")}</Button>
      </div>
    </form>
  );
}
