import type { ReactNode } from "react";

/** An empty state says what to do next, and offers it where it can. */
export function Empty({ title, next, children }: { title: string; next: string; children?: ReactNode }) {
  return (
    <div className="rounded-card border border-dashed border-line-strong px-6 py-10 text-center">
      <p className="font-semibold">{title}</p>
      <p className="mx-auto mt-1 max-w-prose text-muted">{next}</p>
      {children !== undefined && <div className="mt-4 flex justify-center gap-2">{children}</div>}
    </div>
  );
}
