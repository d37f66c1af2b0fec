import type { ButtonHTMLAttributes, Ref } from "react";

import { Kbd } from "../ui/Kbd";

type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  ref?: Ref<HTMLButtonElement>;
  primary?: boolean;
  /** The key that does the same, shown on the card that the keys mean. */
  hint?: string;
};

/** A button on the ink-blue ground of a card. */
export function InkButton({ primary = false, hint, className = "", children, ...rest }: Props) {
  const look = primary ? "border-on-ink bg-on-ink text-ink hover:not-disabled:bg-on-ink/90" : "border-ink-line text-on-ink hover:not-disabled:bg-ink-raised";
  return (
    <button
      type="button"
      {...(hint === undefined ? {} : { "aria-keyshortcuts": hint })}
      className={`inline-flex min-h-9 items-center justify-center gap-1.5 rounded-control border px-3.5 text-sm font-semibold transition-colors duration-100 disabled:opacity-60 pointer-coarse:min-h-10 focus-visible:outline-on-ink ${look} ${className}`}
      {...rest}
    >
      {children}
      {hint !== undefined && <span aria-hidden="true" className="hidden group-focus-within/card:inline group-data-keys/card:inline max-sm:hidden!"><Kbd onDark>{hint}</Kbd></span>}
    </button>
  );
}
