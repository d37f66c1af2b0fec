import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { Icon } from "../../components/ui/Icon";

/** The title of what is open over the documents, and the way back to them. */
export function PanelHead({ agent, title }: { agent: string; title: string }) {
  const { t } = useTranslation("gene");
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <h1 className="text-lg font-semibold">{title}</h1>
      <Link
        to="/a/$agent/gene"
        params={{ agent }}
        search={(old) => (old.metric === undefined ? {} : { metric: old.metric })}
        className="ml-auto inline-flex min-h-8 items-center gap-1 rounded-control px-2 text-sm text-muted hover:bg-sunken hover:text-text pointer-coarse:min-h-10"
      >
        <Icon name="chevronLeft" />
        {t("back")}
      </Link>
    </div>
  );
}
