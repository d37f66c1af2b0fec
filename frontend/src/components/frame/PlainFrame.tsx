import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { TopBar } from "./TopBar";

/** A page that is about no single agent. */
export function PlainFrame({ title, product, children }: { title: string; product: string | undefined; children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <div className="flex h-dvh flex-col">
      <title>{`${title} · ${t("app.name")}`}</title>
      <TopBar product={product} />
      {/* What scrolls must be reachable by keyboard, and some of these pages hold nothing to press. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <main id="content" tabIndex={0} className="min-h-0 flex-1 overflow-y-auto focus-visible:-outline-offset-2">
        <div className="mx-auto grid max-w-5xl gap-8 px-4 py-6">{children}</div>
      </main>
    </div>
  );
}
