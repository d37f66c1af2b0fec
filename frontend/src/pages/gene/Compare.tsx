import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { TextChanges } from "../../components/card/TextChanges";
import { IconButton } from "../../components/ui/Button";
import { Select } from "../../components/ui/Field";
import { Notice } from "../../components/ui/Notice";
import { Skeleton } from "../../components/ui/Skeleton";
import { geneQuery, type Version } from "../../services/genes";
import { PanelHead } from "./PanelHead";
import type { GeneSearch } from "./search";

/** What changed between any two versions, word by word. */
export function Compare({ agent, from, to, list }: { agent: string; from: number; to: number; list: Version[] }) {
  const { t } = useTranslation("gene");
  const navigate = useNavigate();
  const [a, b] = [useQuery(geneQuery(agent, from)), useQuery(geneQuery(agent, to))];
  const show = (search: Pick<GeneSearch, "from" | "to">) =>
    void navigate({ to: "/a/$agent/gene", params: { agent }, search: (old) => ({ ...old, ...search }), replace: true, resetScroll: false });
  const choice = (label: string, value: number, onChange: (n: number) => void) => (
    <Select label={label} value={value} onChange={(e) => { onChange(Number(e.target.value)); }}>
      {list.map((v) => (
        <option key={v.version} value={v.version}>{`V${v.version}${v.summary ? ` · ${v.summary.slice(0, 24)}` : ""}`}</option>
      ))}
    </Select>
  );
  const error = a.error ?? b.error;
  return (
    <div className="grid gap-4">
      <PanelHead agent={agent} title={t("compare.title", { from, to })} />
      <div className="flex flex-wrap items-center gap-2">
        {choice(t("compare.from"), from, (n) => { show({ from: n, to }); })}
        <span aria-hidden="true" className="text-muted">→</span>
        {choice(t("compare.to"), to, (n) => { show({ from, to: n }); })}
        <IconButton label={t("compare.swap")} icon="refresh" onClick={() => { show({ from: to, to: from }); }} />
      </div>
      {error ? (
        <Notice error={error} onRetry={() => { void a.refetch(); void b.refetch(); }} />
      ) : a.data && b.data ? (
        <div className="rounded-card border border-line bg-surface px-4 py-3">
          <TextChanges key={`${from} ${to}`} from={a.data} to={b.data} authors={a.data} />
        </div>
      ) : (
        <Skeleton rows={6} height={22} />
      )}
    </div>
  );
}
