import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { useTranslation } from "react-i18next";

import { PlainFrame } from "../../components/frame/PlainFrame";
import { useSession } from "../../components/frame/session";
import { Notice } from "../../components/ui/Notice";
import { Skeleton } from "../../components/ui/Skeleton";
import { useFormat } from "../../components/ui/useFormat";
import { systemQuery } from "../../services/system";
import { ProjectionTable } from "./ProjectionTable";

/** /system: whether the read models keep up, and what answers. */
export function SystemPage(): ReactElement {
  const { t } = useTranslation();
  const session = useSession();
  const system = useQuery(systemQuery);
  const format = useFormat();
  return (
    <PlainFrame title={t("system.title")} product={session.products[0]?.id}>
      <section aria-labelledby="system" className="grid gap-4">
        <h1 id="system" className="text-lg font-semibold">{t("system.title")}</h1>
        <dl className="grid gap-x-4 gap-y-1 text-muted sm:grid-cols-[max-content_1fr]">
          <dt>{t("system.model")}</dt>
          <dd className="text-text">
            {session.model.rehearsal ? t("frame.rehearsal") : session.model.name}
            {session.model.rehearsal && <span className="block text-muted">{t("frame.rehearsal_why")}</span>}
          </dd>
        </dl>
        {system.error && <Notice error={system.error} onRetry={() => { void system.refetch(); }} kept={system.data !== undefined} />}
        {system.isPending && <Skeleton rows={1} height={240} />}
        {system.data && <ProjectionTable projections={system.data.projections} />}
        <p className="flex flex-wrap gap-x-4 text-muted">
          {system.data && <span>{t("system.log", { n: format.number(system.data.log.last) })}</span>}
          <span>{t("system.version", { v: session.version })}</span>
        </p>
      </section>
    </PlainFrame>
  );
}
