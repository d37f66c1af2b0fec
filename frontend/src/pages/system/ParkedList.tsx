import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { Button } from "../../components/ui/Button";
import { Notice } from "../../components/ui/Notice";
import { useFormat } from "../../components/ui/useFormat";
import { type Parked, refreshSystem, retryParked } from "../../services/system";
import { useProjectionName } from "./words";

/** Events that a read model cannot use, with their cause and the way to try again. */
export function ParkedList({ parked }: { parked: Parked[] }) {
  const { t } = useTranslation("system");
  return (
    <section aria-labelledby="parked" className="grid gap-3">
      <div>
        <h2 id="parked" className="font-semibold">{t("parked.title")}</h2>
        <p className="max-w-prose text-sm text-muted">{t("parked.why")}</p>
      </div>
      <ul className="grid gap-2">
        {parked.map((p) => <ParkedLine key={`${p.projection} ${p.agent}`} parked={p} />)}
      </ul>
    </section>
  );
}

function ParkedLine({ parked: p }: { parked: Parked }) {
  const { t } = useTranslation("system");
  const format = useFormat();
  const name = useProjectionName()(p.projection);
  const agent = p.agentName || t("parked.unnamed");
  const queries = useQueryClient();
  const retry = useMutation({ mutationFn: () => retryParked(p), onSettled: () => refreshSystem(queries) });
  return (
    <li className="grid gap-2 rounded-card border border-line bg-surface px-4 py-3">
      <div className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
        <Link to="/a/$agent" params={{ agent: p.agent }} className="font-semibold underline underline-offset-[3px] [overflow-wrap:anywhere]">{agent}</Link>
        <span className="text-sm text-muted">{t("parked.in", { name })}</span>
        <span className="ml-auto text-sm text-warn tabular-nums">{t("parked.waiting", { n: format.number(p.waiting) })}</span>
      </div>
      <p className="text-sm [overflow-wrap:anywhere]">
        <span className="text-muted tabular-nums">{t("parked.event", { seq: format.number(p.seq), type: p.type })}</span>{" "}
        <span className="text-bad">{p.error}</span>
      </p>
      {retry.error && <Notice error={retry.error} />}
      <div>
        <Button small aria-disabled={retry.isPending} aria-label={t("parked.retry_of", { agent, name })} onClick={() => { if (!retry.isPending) retry.mutate(); }}>
          {retry.isPending ? t("parked.retrying") : t("parked.retry")}
        </Button>
      </div>
    </li>
  );
}
