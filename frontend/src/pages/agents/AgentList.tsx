import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { Version } from "../../components/ui/Badge";
import { Time } from "../../components/ui/Time";
import type { Agent } from "../../services/agents";

/** The agents of a product; what waits for a decision stands out, the rest is quiet. */
export function AgentList({ agents }: { agents: Agent[] }) {
  return (
    <ul className="grid gap-3 md:grid-cols-2">
      {agents.map((agent) => (
        <li key={agent.id}>
          <AgentCard agent={agent} />
        </li>
      ))}
    </ul>
  );
}

function AgentCard({ agent }: { agent: Agent }) {
  const { t } = useTranslation();
  return (
    <article className="relative flex h-full flex-col rounded-card border border-line bg-surface px-5 py-4 transition-colors duration-100 focus-within:border-line-strong hover:border-line-strong">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h2 className="text-lg font-semibold [overflow-wrap:anywhere]">
          {/* The whole card leads to the agent. */}
          <Link to="/a/$agent" params={{ agent: agent.id }} className="after:absolute after:inset-0 after:rounded-card">
            {agent.name}
          </Link>
        </h2>
        <span aria-hidden="true" className="flex">
          <Version n={agent.geneVersion} />
        </span>
        <span className="sr-only">{t("agents.gene", { n: agent.geneVersion })}</span>
        {agent.waiting > 0 && <span className="ml-auto rounded-full bg-ink px-3 text-sm/6 font-medium text-on-ink max-sm:ml-0">{t("agents.waiting", { n: agent.waiting })}</span>}
      </div>
      <p className="mt-1 line-clamp-2 flex-1 text-muted [overflow-wrap:anywhere]">{agent.brief === "" ? t("agents.no_brief") : agent.brief}</p>
      <p className="mt-3 flex flex-wrap justify-between gap-x-4 text-sm text-muted">
        <span className={agent.running > 0 ? "text-text" : ""}>{agent.running > 0 ? t("agents.running", { n: agent.running }) : t("agents.idle")}</span>
        <span>
          {t("agents.active")} <Time at={agent.lastActivity} />
        </span>
      </p>
    </article>
  );
}
