import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

import type { AgentDetail } from "../../services/agents";
import { Badge, Version } from "../ui/Badge";
import { IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { Kbd } from "../ui/Kbd";
import { AgentSwitch, ProductSwitch } from "./Switches";
import { MeMenu } from "./MeMenu";
import { paletteKey } from "./keys";
import { useSession } from "./session";
import { useOpen } from "./Shortcuts";

type Props = {
  product: string | undefined;
  /** The agent whose pages these are. */
  agent?: { id: string; detail: AgentDetail | undefined };
  /** The room's connection and who is here. */
  children?: ReactNode;
};

/** Where one is, how to get elsewhere, and who is here. */
export function TopBar({ product, agent, children }: Props) {
  const { t } = useTranslation();
  const session = useSession();
  const open = useOpen();
  return (
    <header className="flex h-12 shrink-0 items-center gap-3 border-b border-line bg-surface px-4 max-sm:gap-1.5 max-sm:px-3">
      <a href="#content" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:rounded-control focus:bg-surface focus:p-2">
        {t("app.skip")}
      </a>
      <Link to="/" search={product === undefined ? {} : { product }} aria-label={`${t("app.name")} · ${t("frame.home")}`} className="flex min-h-10 items-center font-bold tracking-wide">
        <span className={agent ? "max-sm:hidden" : ""}>{t("app.name")}</span>
        {agent && <Icon name="chevronLeft" className="sm:hidden" />}
      </Link>
      <nav aria-label={t("frame.product")} className="flex min-w-0 items-center gap-1">
        <span className={agent ? "max-sm:hidden" : "min-w-0"}>
          <ProductSwitch product={product} />
        </span>
        {agent && (
          <>
            <span aria-hidden="true" className="text-muted max-sm:hidden">{"/"}</span>
            <AgentSwitch product={product} agent={agent.id} name={agent.detail?.name} />
            {agent.detail && (
              <>
                <Version n={agent.detail.geneVersion} />
                <span className="sr-only">{t("agents.gene", { n: agent.detail.geneVersion })}</span>
              </>
            )}
          </>
        )}
      </nav>
      {/* Beside a room its own head says so. */}
      {!agent && session.model.rehearsal && <Badge tone="warn" className="max-md:hidden">{t("frame.rehearsal")}</Badge>}
      <div className="ml-auto flex shrink-0 items-center gap-3 max-sm:gap-1">
        <button
          type="button"
          onClick={() => { open("palette"); }}
          className="flex h-8 items-center gap-2 rounded-control border border-line bg-canvas px-2 text-sm text-muted transition-colors duration-100 hover:text-text max-lg:hidden pointer-coarse:h-10"
        >
          <Kbd>{paletteKey}</Kbd>
          {t("palette.open")}
        </button>
        <span className="lg:hidden">
          <IconButton icon="search" label={t("palette.open")} hint={paletteKey} onClick={() => { open("palette"); }} />
        </span>
        {children}
        <MeMenu />
      </div>
    </header>
  );
}
