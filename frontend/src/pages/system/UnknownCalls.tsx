import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { Time } from "../../components/ui/Time";
import { useFormat } from "../../components/ui/useFormat";
import type { UnknownCall } from "../../services/system";

/** Paid calls whose end nobody knows. They are not repeated, so somebody has to look at the bill. */
export function UnknownCalls({ calls, total }: { calls: UnknownCall[]; total: number }) {
  const { t } = useTranslation("system");
  const format = useFormat();
  const link = "underline underline-offset-[3px] pointer-coarse:inline-flex pointer-coarse:min-h-10 pointer-coarse:items-center";
  return (
    <section aria-labelledby="unknown" className="grid gap-2 rounded-card border border-line bg-warn-ground px-4 py-3">
      <h3 id="unknown" className="font-semibold text-warn">{t("unknown.title", { n: format.number(total) })}</h3>
      <p className="max-w-prose text-sm">{t("unknown.why")}</p>
      <ul className="grid gap-2">
        {calls.map((call) => (
          <li key={call.key} className="grid gap-0.5 rounded-control bg-surface px-3 py-2 text-sm">
            <p className="flex flex-wrap items-baseline gap-x-3">
              <span className="font-medium">{call.kind}</span>
              <Link to="/a/$agent" params={{ agent: call.agent }} className={link}>{call.agentName || t("parked.unnamed")}</Link>
              {call.run !== "" && <Link to="/a/$agent/tasks" params={{ agent: call.agent }} search={{ run: call.run }} className={link}>{t("work.task")}</Link>}
              {call.attempt > 0 && <span className="text-muted">{t("work.attempt", { n: call.attempt })}</span>}
              <Time at={call.at} className="ml-auto text-muted" />
            </p>
            <code className="font-mono text-xs text-muted [overflow-wrap:anywhere]">{call.key}</code>
            {call.error !== "" && <p lang="" className="text-xs text-muted [overflow-wrap:anywhere]">{call.error}</p>}
          </li>
        ))}
      </ul>
      {total > calls.length && <p className="text-sm text-muted">{t("work.more", { n: format.number(total - calls.length) })}</p>}
    </section>
  );
}
