import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { useMayWrite } from "../../components/card/useMayWrite";
import { EditSources } from "../../components/source/EditSources";
import { SourcesSection } from "../../components/source/SourcesSection";
import { Notice } from "../../components/ui/Notice";
import { Skeleton } from "../../components/ui/Skeleton";
import { useRoomFrames } from "../../live/useRoom";
import { agentQuery } from "../../services/agents";
import { refreshCards, waitingCardsQuery } from "../../services/cards";
import { type Gene, geneQuery, type Versions, versionsQuery } from "../../services/genes";
import { scoresQuery } from "../../services/performance";
import { CardPanel } from "./CardPanel";
import { Compare } from "./Compare";
import { Documents } from "./Documents";
import { EditGene } from "./EditGene";
import { RollBack } from "./RollBack";
import { type GeneSearch, geneSearch } from "./search";
import { Timeline } from "./Timeline";

/** The gene of an agent: its documents, or what is open over them, and its versions. */
export function GenePage() {
  const { agent } = useParams({ from: "/signed/a/$agent/gene" });
  const search = useSearch({ from: "/signed/a/$agent/gene" });
  const { t } = useTranslation("gene");
  const mayWrite = useMayWrite(agent);
  useFreshGene(agent);
  const gene = useQuery(geneQuery(agent));
  const versions = useQuery(versionsQuery(agent));
  const scores = useQuery(scoresQuery(agent));
  const about = useQuery({ ...agentQuery(agent), enabled: false }).data; // the frame reads it
  const navigate = useNavigate();
  const leaveSources = () => {
    void navigate({ to: "/a/$agent/gene", params: { agent }, search: (old) => geneSearch({ ...old, sources: undefined }), replace: true, resetScroll: false });
  };
  return (
    <div className="@container mx-auto w-full max-w-6xl px-4 py-5 sm:px-6">
      <div className="grid gap-x-8 gap-y-10 @3xl:grid-cols-[minmax(0,1fr)_minmax(15rem,19rem)]">
        <div className="@container min-w-0">
          {gene.data ? (
            <Main agent={agent} search={search} gene={gene.data} versions={versions.data} sources={about?.sources} mayWrite={mayWrite} />
          ) : gene.error ? (
            <Notice error={gene.error} onRetry={() => void gene.refetch()} />
          ) : (
            <Skeleton rows={8} height={28} />
          )}
        </div>
        <aside className="min-w-0">
          {versions.data ? (
            <Timeline agent={agent} versions={versions.data} scores={scores.data} metric={search.metric ?? "adopted_of_shown"} open={[search.from, search.to, search.rollback].filter((n) => n !== undefined)} mayWrite={mayWrite} />
          ) : versions.error ? (
            <Notice error={versions.error} onRetry={() => void versions.refetch()} />
          ) : (
            <Skeleton rows={4} height={72} />
          )}
          {scores.error && !scores.data && (
            <div className="mt-4">
              <Notice error={scores.error} onRetry={() => void scores.refetch()} />
            </div>
          )}
          {versions.data?.list.length === 1 && <p className="mt-4 max-w-prose text-sm text-muted">{t("first_next")}</p>}
        </aside>
      </div>
      {search.sources && mayWrite && about && <EditSources agent={about} onClose={leaveSources} />}
    </div>
  );
}

type MainProps = { agent: string; search: GeneSearch; gene: Gene; versions: Versions | undefined; sources: string[] | undefined; mayWrite: boolean };

function Main({ agent, search, gene, versions, sources, mayWrite }: MainProps) {
  const { edit, card, from, to, rollback } = search;
  if (edit && mayWrite) return <EditGene agent={agent} current={gene} {...(card === undefined ? {} : { card })} />;
  if (card !== undefined) return <CardPanel key={card} agent={agent} card={card} />;
  if (rollback !== undefined && mayWrite) return <RollBack key={rollback} agent={agent} to={rollback} current={gene} />;
  if (from !== undefined || to !== undefined) {
    const [a, b] = [from ?? Math.max(1, gene.version - 1), to ?? gene.version];
    return <Compare agent={agent} from={a} to={b} list={versions?.list ?? []} />;
  }
  return (
    <div className="grid gap-6">
      <Waiting agent={agent} />
      <Documents agent={agent} gene={gene} versions={versions} mayWrite={mayWrite} />
      {sources && <SourcesSection agent={agent} named={sources} mayWrite={mayWrite} />}
    </div>
  );
}

/** The way to the cards that wait for somebody. */
function Waiting({ agent }: { agent: string }) {
  const { t } = useTranslation("gene");
  const cards = useQuery(waitingCardsQuery(agent)).data ?? [];
  if (cards.length === 0) return null;
  return (
    <ul className="grid gap-2">
      {cards.map((card) => (
        <li key={card.id}>
          <Link
            to="/a/$agent/gene"
            params={{ agent }}
            search={{ card: card.id }}
            className="flex min-h-10 items-baseline gap-x-3 rounded-control border border-line border-l-4 border-l-ink bg-surface px-3 py-2 text-sm hover:bg-sunken"
          >
            <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
              <span className="mr-2 font-semibold">{t("waiting")}</span>
              {card.summary}
            </span>
            <span className="whitespace-nowrap font-mono text-xs text-muted">{t("base_next", { base: card.base, next: card.base + 1 })}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** Reads again what the log says has changed. */
function useFreshGene(agent: string) {
  const queries = useQueryClient();
  const refresh = () => void refreshCards(queries, agent);
  useRoomFrames("gene.card", refresh);
  useRoomFrames("gene.card.resolved", refresh);
  useRoomFrames("sync", refresh);
  useRoomFrames("timeline.entry", ({ row }) => {
    if (row.type === "gene_edited" || row.type === "gene_rolled_back") refresh();
  });
}
