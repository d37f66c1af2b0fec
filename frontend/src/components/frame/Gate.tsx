import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { Preferences } from "./Preferences";

/** A page of one narrow column: before somebody is signed in, or when there is nothing else to show. */
export function Gate({ title, children }: { title?: string; children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <div className="mx-auto flex min-h-dvh w-full max-w-md flex-col px-4 py-8">
      <header className="mb-6 mt-[10vh]">
        <p className="text-xl font-bold tracking-wide">{t("app.name")}</p>
        <p className="text-muted">{t("app.tagline")}</p>
      </header>
      <main className="grid gap-4 rounded-card border border-line bg-surface p-6 shadow-card max-sm:p-5">
        {title !== undefined && <h1 className="text-lg font-semibold">{title}</h1>}
        {children}
      </main>
      <footer className="mt-6 flex justify-center">
        <Preferences />
      </footer>
    </div>
  );
}
