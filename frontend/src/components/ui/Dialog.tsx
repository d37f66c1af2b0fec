import * as RadixDialog from "@radix-ui/react-dialog";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { IconButton } from "./Button";

type Props = {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  /** Read out after the title. */
  description?: ReactNode;
  children: ReactNode;
  /** Buttons at the lower end, always in view. */
  footer?: ReactNode;
  /** The title is for screen readers only. */
  bare?: boolean;
};

const shapes = {
  dialog: "inset-x-4 top-[8dvh] mx-auto max-h-[84dvh] rounded-card max-sm:inset-x-0 max-sm:top-auto max-sm:bottom-0 max-sm:max-h-[92dvh] max-sm:rounded-b-none",
  sheet: "inset-y-0 right-0 w-full border-l max-sm:inset-x-0 max-sm:top-auto max-sm:max-h-[92dvh] max-sm:rounded-t-card max-sm:border-l-0",
};

const widths = { narrow: "max-w-md", medium: "max-w-xl", wide: "max-w-3xl", full: "max-w-6xl" };

/** A question over the page. On a phone it comes from below. */
export function Dialog({ width = "medium", ...rest }: Props & { width?: keyof typeof widths }) {
  return <Panel shape="dialog" width={width} {...rest} />;
}

/** Details beside the page: from the right, on a phone from below. */
export function Sheet({ width = "wide", ...rest }: Props & { width?: keyof typeof widths }) {
  return <Panel shape="sheet" width={width} {...rest} />;
}

// What one came to fill in, else the panel itself; never the button that closes it.
function focusFirst(event: Event) {
  event.preventDefault();
  const panel = event.currentTarget;
  if (!(panel instanceof HTMLElement)) return;
  (panel.querySelector<HTMLElement>("[data-autofocus], form input, form textarea, input[role=combobox]") ?? panel).focus();
}

function Panel({ shape, width, open, onClose, title, description, children, footer, bare = false }: Props & { shape: keyof typeof shapes; width: keyof typeof widths }) {
  const { t } = useTranslation();
  return (
    <RadixDialog.Root open={open} onOpenChange={(on) => { if (!on) onClose(); }}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className="fade fixed inset-0 z-30 bg-scrim" />
        <RadixDialog.Content
          {...(description === undefined ? { "aria-describedby": undefined } : {})}
          onOpenAutoFocus={focusFirst}
          className={`fade fixed z-40 flex flex-col overflow-hidden border-line bg-surface shadow-card outline-none ${shapes[shape]} ${widths[width]} max-sm:max-w-none`}
        >
          <div className={bare ? "sr-only" : "flex items-start gap-3 border-b border-line py-3 pl-5 pr-3"}>
            <div className="min-w-0 flex-1 pt-1">
              <RadixDialog.Title className="text-lg font-semibold leading-snug [overflow-wrap:anywhere]">{title}</RadixDialog.Title>
              {description !== undefined && <RadixDialog.Description className="mt-0.5 text-sm text-muted">{description}</RadixDialog.Description>}
            </div>
            {!bare && (
              <RadixDialog.Close asChild>
                <IconButton label={t("state.close")} icon="close" />
              </RadixDialog.Close>
            )}
          </div>
          <div className={`min-h-0 flex-1 overflow-y-auto overscroll-contain ${bare ? "" : "px-5 py-4"}`}>{children}</div>
          {footer !== undefined && <div className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3 pb-[max(0.75rem,env(safe-area-inset-bottom))]">{footer}</div>}
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}
