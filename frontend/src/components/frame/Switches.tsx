import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { agentsQuery } from "../../services/agents";
import { Icon } from "../ui/Icon";
import { Menu, MenuChoice, MenuItem, MenuLine } from "../ui/Menu";
import { useSession } from "./session";

const button = "flex min-h-8 min-w-0 items-center gap-1 rounded-md px-1.5 transition-colors duration-100 hover:bg-sunken pointer-coarse:min-h-10";

/** The product, and the way to another one. */
export function ProductSwitch({ product }: { product: string | undefined }) {
  const { t } = useTranslation();
  const { products } = useSession();
  const navigate = useNavigate();
  const name = products.find((p) => p.id === product)?.name;
  if (product === undefined || name === undefined) return null;
  if (products.length < 2) return <span className="block max-w-48 truncate px-1.5 text-muted">{name}</span>;
  return (
    <Menu
      trigger={
        <button type="button" aria-label={`${t("frame.product")}: ${name}`} className={`${button} max-w-48 text-muted`}>
          <span className="truncate">{name}</span>
          <Icon name="chevronDown" className="size-3.5" />
        </button>
      }
    >
      <MenuChoice
        label={t("frame.product")}
        value={product}
        options={products.map((p) => ({ value: p.id, label: p.name }))}
        onChange={(id) => { void navigate({ to: "/", search: { product: id } }); }}
      />
    </Menu>
  );
}

/** The agent, and the way to its neighbours. */
export function AgentSwitch({ product, agent, name }: { product: string | undefined; agent: string; name: string | undefined }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  if (name === undefined) return <span className="skeleton h-5 w-28" />;
  return (
    <Menu
      trigger={
        <button type="button" aria-label={`${t("frame.agent")}: ${name}`} className={`${button} max-w-64 font-semibold max-sm:max-w-36`}>
          <span className="truncate">{name}</span>
          <Icon name="chevronDown" className="size-3.5 text-muted" />
        </button>
      }
    >
      {product !== undefined && <Neighbours product={product} agent={agent} />}
      <MenuItem icon="agents" onSelect={() => { void navigate({ to: "/", search: product === undefined ? {} : { product } }); }}>
        {t("frame.all_agents")}
      </MenuItem>
    </Menu>
  );
}

// Drawn, and so read, only while the menu is open.
function Neighbours({ product, agent }: { product: string; agent: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const agents = useQuery(agentsQuery(product));
  if (!agents.data) return null;
  return (
    <>
      <MenuChoice
        label={t("frame.agent")}
        value={agent}
        options={agents.data.map((a) => ({ value: a.id, label: <span className="block truncate">{a.name}</span> }))}
        onChange={(id) => { void navigate({ to: "/a/$agent", params: { agent: id } }); }}
      />
      <MenuLine />
    </>
  );
}
