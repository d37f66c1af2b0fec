import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";

import { personOf, useNames } from "../../components/card/useNames";
import { Empty } from "../../components/ui/Empty";
import { Icon } from "../../components/ui/Icon";
import { type Document, documents, type Gene, type Line, type People, type Version, type Versions } from "../../services/genes";
import { birthsOf } from "./births";

type Props = { agent: string; gene: Gene; versions: Versions | undefined; mayWrite: boolean };

/** The gene as it stands: both documents with the author of every line, and the hard limits. */
export function Documents({ agent, gene, versions, mayWrite }: Props) {
  const { t } = useTranslation("gene");
  const { t: tc } = useTranslation("card");
  const { maxFilmSeconds, aspect } = gene.constraints;
  const people = { ...versions?.people, ...gene.people };
  return (
    <div className="grid gap-6">
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4">
        <div>
          <h1 className="text-lg font-semibold">{t("title", { version: gene.version })}</h1>
          <p className="text-sm text-muted">{t("authors_why")}</p>
        </div>
        {mayWrite && (
          <Link
            to="/a/$agent/gene"
            params={{ agent }}
            search={{ edit: true }}
            className="inline-flex min-h-8 items-center gap-1.5 rounded-control border border-line-strong bg-surface px-3 text-sm hover:bg-sunken pointer-coarse:min-h-10"
          >
            <Icon name="edit" />
            {t("edit")}
          </Link>
        )}
      </div>
      {documents.map((document) => (
        <section key={document}>
          <h2 className="mb-2 text-sm font-semibold text-muted">
            {tc(`part.${document}`)} <span className="ml-1 font-normal">{t(`about.${document}`)}</span>
          </h2>
          {gene.lines[document].length === 0 ? (
            <Empty title={t("empty")} next={t("empty_next")} />
          ) : (
            <Lines document={document} gene={gene} list={versions?.list ?? []} people={people} />
          )}
        </section>
      ))}
      <section>
        <h2 className="mb-2 text-sm font-semibold text-muted">
          {tc("part.constraints")} <span className="ml-1 font-normal">{t("about.constraints")}</span>
        </h2>
        <dl className="flex flex-wrap gap-x-10 gap-y-2 rounded-card border border-line bg-surface px-5 py-3">
          <div className="flex gap-2">
            <dt className="text-muted">{tc("constraint.max_film_seconds")}</dt>
            <dd>{maxFilmSeconds > 0 ? tc("constraint.seconds", { n: maxFilmSeconds }) : tc("constraint.none")}</dd>
          </div>
          <div className="flex gap-2">
            <dt className="text-muted">{tc("constraint.aspect")}</dt>
            <dd>{aspect || tc("constraint.none")}</dd>
          </div>
        </dl>
      </section>
    </div>
  );
}

function Lines({ document, gene, list, people }: { document: Document; gene: Gene; list: Version[]; people: People }) {
  const births = useMemo(() => birthsOf(list, gene.version, document), [list, gene.version, document]);
  return (
    <ol className="rounded-card border border-line bg-surface py-2">
      {gene.lines[document].map((line) => (
        <li key={line.n} className="grid grid-cols-[2.5rem_minmax(0,1fr)] items-baseline gap-y-0.5 py-1 pr-4 hover:bg-sunken @lg:grid-cols-[2.5rem_minmax(0,1fr)_auto]">
          <span aria-hidden="true" className="pr-3.5 text-right font-mono text-xs text-muted">{line.n}</span>
          <span className="[overflow-wrap:anywhere]">{line.text}</span>
          <Author line={line} born={births.get(line.text)} people={people} />
        </li>
      ))}
    </ol>
  );
}

/** In the margin: whose line it is, since which version, and who let it in. */
function Author({ line, born, people }: { line: Line; born: Version | undefined; people: People }) {
  const { t } = useTranslation("gene");
  const nameOf = useNames();
  const person = personOf(line.by) !== "";
  const name = person ? nameOf(line.by, people) : t(line.by.startsWith("butler:") ? "author.butler" : "author.system");
  const since = born ? ` · V${born.version}` : "";
  const said =
    person && line.own !== "" && line.own !== line.text ? t("author.extended", { name }) + since
    : !person && born?.origin === "card" ? `${name}${since} · ${t("author.applied", { name: nameOf(born.by, people) })}`
    : name + since;
  return (
    <span className={`col-start-2 text-xs @lg:col-start-3 @lg:whitespace-nowrap @lg:pl-6 @lg:text-right ${person ? "font-medium text-text" : "text-muted"}`}>
      {said}
    </span>
  );
}
