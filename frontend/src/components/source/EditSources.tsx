import { useQueryClient } from "@tanstack/react-query";
import { type SyntheticEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";

import { type AgentDetail, editSources } from "../../services/agents";
import { useCommand } from "../card/useCommand";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Notice } from "../ui/Notice";
import { faultOf, inUse, type SourceFault } from "./choice";
import { SourceChecks } from "./SourceChecks";
import { useSources } from "./useSources";

/** Where an agent searches from now on. */
export function EditSources({ agent, onClose }: { agent: AgentDetail; onClose: () => void }) {
  const { t } = useTranslation("sources");
  const queries = useQueryClient();
  const form = useId();
  const [was] = useState(agent.sources); // somebody else's change meanwhile does not move what is being chosen
  const sources = useSources(was);
  const [chosen, setChosen] = useState(() => inUse(was, sources));
  const [fault, setFault] = useState<SourceFault | null>(null);
  const save = useCommand((next: string[], key) => editSources(queries, agent.id, next, key), onClose);
  const same = chosen.join() === inUse(was, sources).join();
  const busy = save.isPending;
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (busy || same) return;
    const found = faultOf(chosen, sources);
    setFault(found);
    if (found === null) save.mutate(chosen);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("editing.title")}
      description={t("editing.why")}
      footer={
        <>
          <Button onClick={onClose}>{t("editing.cancel")}</Button>
          <Button type="submit" form={form} look="primary" aria-disabled={busy || same}>{t(busy ? "editing.saving" : "editing.save")}</Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="grid gap-4">
        <SourceChecks
          legend={t("title")}
          hideLegend
          sources={sources}
          chosen={chosen}
          fault={fault}
          onChange={(next) => {
            setChosen(next);
            setFault(null);
          }}
        />
        {save.error && <Notice error={save.error} />}
      </form>
    </Dialog>
  );
}
