import type { ButtonHTMLAttributes, Ref } from "react";

import { Icon, type IconName } from "./Icon";
import { Tip } from "./Tip";

const looks = {
  plain: "border-line-strong bg-surface text-text hover:not-disabled:bg-sunken",
  primary: "border-ink bg-ink font-semibold text-on-ink hover:not-disabled:bg-ink-raised",
  quiet: "border-transparent text-muted hover:not-disabled:bg-sunken hover:not-disabled:text-text",
  danger: "border-line-strong bg-surface text-bad hover:not-disabled:bg-bad-ground",
};

const base = "inline-flex items-center justify-center gap-1.5 rounded-control border transition-colors duration-100 disabled:opacity-60 aria-disabled:opacity-60";

type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  ref?: Ref<HTMLButtonElement>;
  /** The one primary button of a page is ink blue. */
  look?: keyof typeof looks;
  /** 32 px on a pointer, still 40 px on touch. */
  small?: boolean;
};

/** A button with words. */
export function Button({ look = "plain", small = false, className = "", ...rest }: Props) {
  const size = small ? "min-h-8 px-3 text-sm pointer-coarse:min-h-10" : "min-h-10 px-4";
  return <button type="button" className={`${base} ${size} ${looks[look]} ${className}`} {...rest} />;
}

type IconProps = Omit<Props, "small" | "children"> & {
  /** Read out, and shown on hover with the key. */
  label: string;
  icon: IconName;
  hint?: string;
};

/** A button with a picture; its words are in the tooltip. */
export function IconButton({ label, icon, hint, look = "quiet", className = "", ...rest }: IconProps) {
  return (
    <Tip text={label} {...(hint === undefined ? {} : { hint })}>
      <button
        type="button"
        aria-label={label}
        className={`${base} size-8 shrink-0 pointer-coarse:size-10 ${looks[look]} ${className}`}
        {...rest}
      >
        <Icon name={icon} />
      </button>
    </Tip>
  );
}

type ChipProps = ButtonHTMLAttributes<HTMLButtonElement> & { ref?: Ref<HTMLButtonElement>; on: boolean };

/** A filter that is on or off. */
export function Chip({ on, className = "", ...rest }: ChipProps) {
  const look = on ? "border-line-strong bg-surface font-semibold text-text shadow-[0_1px_1px_rgb(20_22_24/0.05)]" : "border-line bg-surface text-muted hover:text-text";
  return (
    <button
      type="button"
      aria-pressed={on}
      className={`inline-flex min-h-7 items-center gap-1.5 rounded-full border px-3 text-sm transition-colors duration-100 pointer-coarse:min-h-10 ${look} ${className}`}
      {...rest}
    />
  );
}
