import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { useTranslation } from "react-i18next";

import { PlainFrame } from "../../components/frame/PlainFrame";
import { useSession } from "../../components/frame/session";
import { Notice } from "../../components/ui/Notice";
import { Skeleton } from "../../components/ui/Skeleton";
import { useFormat } from "../../components/ui/useFormat";
import { usePhone } from "../../components/ui/usePhone";
import { systemQuery } from "../../services/system";
import { ParkedList } from "./ParkedList";
import { ProjectionRows } from "./ProjectionRows";
import { RebuildAll } from "./RebuildAll";
import { Sources } from "./Sources";
import { Streams } from "./Streams";
import { WorkInHand } from "./WorkInHand";

/** /system: whether the read models keep up, who works on what, and what answers. */
export function SystemPage(): ReactElement {
  const { t } = useTranslation("system");
  const { t: common } = useTranslation();
  const session = useSession();
  const narrow = usePhone();
  const system = useQuery(systemQuery);
  const format = useFormat();
  const [started, setStarted] = useState(0);
  const { admin } = session.user;
  const onStarted = () => { setStarted((n) => n + 1); };
  return (
    <PlainFrame title={t("title")} product={session.products[0]?.id}>
      <div>
        <h1 className="text-lg font-semibold">{t("title")}</h1>
        <p className="mt-1 flex flex-wrap gap-x-6 gap-y-1 text-sm text-muted">
          <span>{t("model")} <span className="text-text">{session.model.rehearsal ? common("frame.rehearsal") : session.model.name}</span></span>
          <span>{t("version", { v: session.version })}</span>
          {system.data && <span className="tabular-nums">{t("log", { n: format.number(system.data.last) })}</span>}
        </p>
        {session.model.rehearsal && <p className="mt-1 max-w-prose text-sm text-muted">{common("frame.rehearsal_why")}</p>}
      </div>
      <section aria-labelledby="projections" className="grid gap-3">
        <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
          <div className="min-w-0 flex-1 basis-72">
            <h2 id="projections" className="font-semibold">{t("projections")}</h2>
            <p className="max-w-prose text-sm text-muted">{t("projections_why")}</p>
          </div>
          {admin && <RebuildAll onStarted={onStarted} />}
        </div>
        <span role="status" className="sr-only">{started > 0 && <span key={started}>{t("rebuild.started")}</span>}</span>
        {system.error && <Notice error={system.error} onRetry={() => { void system.refetch(); }} kept={system.data !== undefined} />}
        {system.isPending && <Skeleton rows={1} height={320} />}
        {system.data && <ProjectionRows projections={system.data.projections} admin={admin} narrow={narrow} onStarted={onStarted} />}
      </section>
      {system.data && system.data.parked.length > 0 && <ParkedList parked={system.data.parked} />}
      {admin ? (
        <>
          <WorkInHand narrow={narrow} />
          <Sources narrow={narrow} />
          <Streams narrow={narrow} />
        </>
      ) : (
        <p className="text-sm text-muted">{t("admin_only")}</p>
      )}
    </PlainFrame>
  );
}
