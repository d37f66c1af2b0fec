import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { sources as searchable } from "../../services/materials";
import { Badge } from "../ui/Badge";
import { Icon } from "../ui/Icon";
import { inUse } from "./choice";
import { type Source, useSources } from "./useSources";

const button = "inline-flex min-h-8 items-center gap-1.5 whitespace-nowrap rounded-control border border-line-strong bg-surface px-3 text-sm hover:bg-sunken pointer-coarse:min-h-10";

/** Where an agent searches, with what each source costs, and the way to search one of them now. */
export function SourcesSection({ agent, named, mayWrite }: { agent: string; named: readonly string[]; mayWrite: boolean }) {
  const { t } = useTranslation("sources");
  const sources = useSources(named);
  const used = inUse(named, sources);
  return (
    <section aria-labelledby="sources">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <h2 id="sources" className="text-sm font-semibold text-muted">
          {t("title")} <span className="ml-1 font-normal">{t("about")}</span>
        </h2>
        {mayWrite && (
          <Link to="/a/$agent/gene" params={{ agent }} search={(old) => ({ ...old, sources: true as const })} resetScroll={false} className={button}>
            <Icon name="edit" />
            {t("edit")}
          </Link>
        )}
      </div>
      <ul className="divide-y divide-line rounded-card border border-line bg-surface">
        {sources.map((source) => (
          <Row key={source.name} agent={agent} source={source} used={used.includes(source.name)} mayWrite={mayWrite} />
        ))}
      </ul>
    </section>
  );
}

function Row({ agent, source, used, mayWrite }: { agent: string; source: Source; used: boolean; mayWrite: boolean }) {
  const { t } = useTranslation("sources");
  const find = searchable.find((s) => s === source.name);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-3">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-x-2">
          <span className={`font-medium [overflow-wrap:anywhere] ${used ? "" : "text-muted"}`}>{source.title}</span>
          <State source={source} used={used} />
        </p>
        <p className="text-sm text-muted">{source.what}</p>
        <p className={`text-sm ${source.configured ? "" : "text-muted"}`}>{source.cost}</p>
      </div>
      {mayWrite && source.configured && find !== undefined && (
        <Link to="/a/$agent/materials" params={{ agent }} search={{ find }} aria-label={t("find_with", { name: source.title })} className={button}>
          <Icon name="search" />
          {t("find")}
        </Link>
      )}
    </li>
  );
}

/** In use is worth a warning where nothing can be found. */
function State({ source, used }: { source: Source; used: boolean }) {
  const { t } = useTranslation("sources");
  return (
    <>
      {(used || source.configured) && <Badge tone={used && source.configured ? "good" : "quiet"}>{t(used ? "state.on" : "state.off")}</Badge>}
      {!source.configured && <Badge tone={used ? "warn" : "quiet"}>{t("state.missing")}</Badge>}
    </>
  );
}
