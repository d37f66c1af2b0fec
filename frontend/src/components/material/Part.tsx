import { type ReactNode, useId } from "react";

/** A titled part of a detail. */
export function Part({ title, note, children }: { title: string; note?: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="border-t border-line pt-4">
      <h3 id={id} className="mb-2 flex flex-wrap items-baseline gap-x-2 font-semibold">
        {title}
        {note !== undefined && <span className="text-xs font-normal text-muted">{note}</span>}
      </h3>
      {children}
    </section>
  );
}
