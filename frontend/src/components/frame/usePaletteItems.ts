import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { agentQuery, agentsQuery } from "../../services/agents";
import { chooseTheme, isDark } from "../../theme";
import { type Item } from "./commands";
import { useSession } from "./session";
import { useOpen } from "./Shortcuts";

/** Everything the palette offers here; the query itself is offered as a search in the materials. */
export function usePaletteItems(agent: string | undefined, query: string): { items: Item[]; search: Item | null } {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const open = useOpen();
  const { products } = useSession();
  const queries = useQueryClient();
  const product = (agent === undefined ? undefined : queries.getQueryData(agentQuery(agent).queryKey)?.product) ?? products[0]?.id;
  const agents = useQuery({ ...agentsQuery(product ?? ""), enabled: product !== undefined });

  const items: Item[] = [];
  if (agent !== undefined) {
    const group = t("palette.go");
    const to = (page: "materials" | "boards" | "films" | "gene" | "tasks" | "room") => () => { void navigate({ to: `/a/$agent/${page}`, params: { agent } }); };
    items.push(
      { id: "materials", group, label: t("frame.materials"), hint: "g m", icon: "materials", run: to("materials") },
      { id: "boards", group, label: t("frame.boards"), hint: "g b", icon: "board", run: to("boards") },
      { id: "films", group, label: t("frame.films"), hint: "g f", icon: "play", run: to("films") },
      { id: "gene", group, label: t("frame.gene"), hint: "g g", icon: "gene", run: to("gene") },
      { id: "tasks", group, label: t("frame.tasks"), hint: "g t", icon: "tasks", run: to("tasks") },
      { id: "room", group, label: t("frame.room"), hint: "g r", icon: "room", run: to("room") },
    );
  }
  for (const a of agents.data ?? []) {
    if (a.id === agent) continue;
    items.push({ id: a.id, group: t("palette.agents"), label: a.name, hint: `V${a.geneVersion}`, icon: "agents", run: () => { void navigate({ to: "/a/$agent", params: { agent: a.id } }); } });
  }
  if (products.length > 1) {
    for (const p of products) {
      items.push({ id: `product ${p.id}`, group: t("palette.products"), label: p.name, icon: "board", run: () => { void navigate({ to: "/", search: { product: p.id } }); } });
    }
  }
  const group = t("palette.other");
  const dark = isDark();
  if (product !== undefined) {
    items.push({ id: "create", group, label: t("palette.create"), icon: "plus", run: () => { void navigate({ to: "/", search: { product, create: true } }); } });
  }
  items.push(
    { id: "agents", group, label: t("frame.all_agents"), icon: "agents", run: () => { void navigate({ to: "/" }); } },
    { id: "system", group, label: t("frame.system"), icon: "settings", run: () => { void navigate({ to: "/system" }); } },
    { id: "theme", group, label: t(dark ? "palette.theme_light" : "palette.theme_dark"), icon: "eye", run: () => { chooseTheme(dark ? "light" : "dark"); } },
    { id: "keys", group, label: t("palette.keys"), hint: "?", icon: "more", run: () => { open("help"); } },
  );

  const q = query.trim();
  const search: Item | null =
    agent === undefined || q === ""
      ? null
      : { id: "search", group: t("palette.find_in"), label: t("palette.find", { q }), icon: "search", run: () => { void navigate({ to: "/a/$agent/materials", params: { agent }, search: { q } }); } };
  return { items, search };
}
