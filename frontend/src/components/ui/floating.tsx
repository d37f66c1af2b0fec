// What Menu.tsx loads when it is first opened; nothing else imports this file.
import * as Dropdown from "@radix-ui/react-dropdown-menu";
import * as RadixPopover from "@radix-ui/react-popover";
import type { HTMLAttributes, ReactElement, ReactNode } from "react";

import { Icon, type IconName } from "./Icon";

const box = "fade z-50 min-w-48 max-w-80 overflow-y-auto rounded-card border border-line bg-surface p-1 shadow-card max-h-(--radix-dropdown-menu-content-available-height)";
const row = "flex min-h-9 cursor-default select-none items-center gap-2 rounded-md px-2.5 outline-none data-[highlighted]:bg-sunken data-[disabled]:text-muted pointer-coarse:min-h-10";

export type MenuProps = { trigger: ReactElement<HTMLAttributes<HTMLElement>>; align?: "start" | "end"; children: ReactNode };

/** Opens as it is drawn: it is first drawn when somebody asked for it. */
export function Menu({ trigger, align = "start", children }: MenuProps) {
  return (
    <Dropdown.Root modal={false} defaultOpen>
      <Dropdown.Trigger asChild>{trigger}</Dropdown.Trigger>
      <Dropdown.Portal>
        <Dropdown.Content align={align} sideOffset={6} collisionPadding={8} className={box}>
          {children}
        </Dropdown.Content>
      </Dropdown.Portal>
    </Dropdown.Root>
  );
}

export type MenuItemProps = { icon?: IconName; children: ReactNode; danger?: boolean; disabled?: boolean; onSelect: () => void };

export function MenuItem({ icon, children, danger = false, disabled = false, onSelect }: MenuItemProps) {
  return (
    <Dropdown.Item className={`${row} ${danger ? "text-bad" : ""}`} disabled={disabled} onSelect={onSelect}>
      {icon && <Icon name={icon} className="text-muted" />}
      {children}
    </Dropdown.Item>
  );
}

export type MenuChoiceProps<T extends string> = { label: string; value: T; options: { value: T; label: ReactNode }[]; onChange: (value: T) => void };

export function MenuChoice<T extends string>({ label, value, options, onChange }: MenuChoiceProps<T>) {
  return (
    <Dropdown.RadioGroup
      aria-label={label}
      value={value}
      onValueChange={(chosen) => {
        const option = options.find((o) => o.value === chosen);
        if (option) onChange(option.value);
      }}
    >
      <Dropdown.Label className="px-2.5 pb-0.5 pt-1.5 text-xs text-muted">{label}</Dropdown.Label>
      {options.map((option) => (
        <Dropdown.RadioItem key={option.value} value={option.value} className={row}>
          <span className="min-w-0 flex-1">{option.label}</span>
          <Dropdown.ItemIndicator>
            <Icon name="check" />
          </Dropdown.ItemIndicator>
        </Dropdown.RadioItem>
      ))}
    </Dropdown.RadioGroup>
  );
}

export function MenuLine() {
  return <Dropdown.Separator className="mx-1 my-1 h-px bg-line" />;
}

export type PopoverProps = { trigger: ReactElement<HTMLAttributes<HTMLElement>>; label: string; open: boolean; onOpenChange: (open: boolean) => void; align?: "start" | "end"; children: ReactNode };

export function Popover({ trigger, label, open, onOpenChange, align = "start", children }: PopoverProps) {
  return (
    <RadixPopover.Root open={open} onOpenChange={onOpenChange}>
      <RadixPopover.Trigger asChild>{trigger}</RadixPopover.Trigger>
      <RadixPopover.Portal>
        <RadixPopover.Content aria-label={label} align={align} sideOffset={6} collisionPadding={8} className="fade z-50 w-80 max-w-[calc(100vw-1rem)] rounded-card border border-line bg-surface p-3 shadow-card outline-none">
          {children}
        </RadixPopover.Content>
      </RadixPopover.Portal>
    </RadixPopover.Root>
  );
}
