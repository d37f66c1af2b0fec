import { type ReactNode, useId } from "react";

/** A titled part of a detail: of a dialog, or of a page, whose own title is one level above. */
export function Part({ title, note, of = "dialog", children }: { title: string; note?: string; of?: "dialog" | "page"; children: ReactNode }) {
  const Title = of === "page" ? "h2" : "h3";
  const id = useId();
  return (
    <section aria-labelledby={id} className="border-t border-line pt-4">
      <Title id={id} className="mb-2 flex flex-wrap items-baseline gap-x-2 font-semibold">
        {title}
        {note !== undefined && <span className="text-xs font-normal text-muted">{note}</span>}
      </Title>
      {children}
    </section>
  );
}
