import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { useTranslation } from "react-i18next";

import { PlainFrame } from "../../components/frame/PlainFrame";
import { useSession } from "../../components/frame/session";
import { Button } from "../../components/ui/Button";
import { Dialog } from "../../components/ui/Dialog";
import { Empty } from "../../components/ui/Empty";
import { Icon } from "../../components/ui/Icon";
import { Notice } from "../../components/ui/Notice";
import { Skeleton } from "../../components/ui/Skeleton";
import { agentsQuery } from "../../services/agents";
import { AgentList } from "./AgentList";
import { CreateAgent } from "./CreateAgent";

/** /: the agents of a product, and a new one. */
export function AgentsPage(): ReactElement {
  const { t } = useTranslation();
  const { products } = useSession();
  const navigate = useNavigate();
  const search = useSearch({ from: "/signed/" });
  const product = products.find((p) => p.id === search.product) ?? products[0];
  const close = () => { void navigate({ to: "/", search: product === undefined ? {} : { product: product.id }, replace: true }); };

  return (
    <PlainFrame title={t("agents.title")} product={product?.id}>
      {product === undefined ? (
        <Empty title={t("agents.no_product")} next={t("agents.no_product_next")} />
      ) : (
        <>
          <Agents product={product.id} onCreate={() => { void navigate({ to: "/", search: { product: product.id, create: true } }); }} />
          <Dialog open={search.create === true} onClose={close} title={t("create.title")} description={t("create.why")}>
            <CreateAgent product={product.id} onCancel={close} />
          </Dialog>
        </>
      )}
    </PlainFrame>
  );
}

function Agents({ product, onCreate }: { product: string; onCreate: () => void }) {
  const { t } = useTranslation();
  const agents = useQuery(agentsQuery(product));
  const some = agents.data !== undefined && agents.data.length > 0;
  return (
    <section aria-labelledby="agents" className="grid gap-4">
      <div className="flex min-h-10 flex-wrap items-center gap-3">
        <h1 id="agents" className="flex items-baseline gap-2 text-lg font-semibold">
          {t("agents.title")}
          {some && <span className="text-sm font-normal text-muted">{t("agents.count", { n: agents.data.length })}</span>}
        </h1>
        {some && (
          <Button look="primary" className="ml-auto" onClick={onCreate}>
            <Icon name="plus" />
            {t("create.open")}
          </Button>
        )}
      </div>
      {agents.error && <Notice error={agents.error} onRetry={() => { void agents.refetch(); }} kept={agents.data !== undefined} />}
      {agents.isPending && <Skeleton rows={3} height={112} />}
      {some && <AgentList agents={agents.data} />}
      {agents.data?.length === 0 && (
        <Empty title={t("agents.none")} next={t("agents.none_next")}>
          <Button look="primary" onClick={onCreate}>
            <Icon name="plus" />
            {t("create.open")}
          </Button>
        </Empty>
      )}
    </section>
  );
}
