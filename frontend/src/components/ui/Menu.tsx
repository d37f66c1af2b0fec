import { cloneElement, type HTMLAttributes, type ReactElement, Suspense, use, useState } from "react";

import type { MenuChoiceProps, MenuItemProps, MenuProps, PopoverProps } from "./floating";

// Menus and popovers place themselves, which takes much code that the first sight
// of a page does not need: it comes when a pointer or the focus nears the trigger.
let loading: Promise<typeof import("./floating")> | undefined;
const load = () => (loading ??= import("./floating"));

function asTrigger(trigger: ReactElement<HTMLAttributes<HTMLElement>>, popup: "menu" | "dialog", open: () => void) {
  const near = () => { void load(); };
  return cloneElement(trigger, { "aria-haspopup": popup, "aria-expanded": false, onPointerEnter: near, onFocus: near, onClick: open });
}

/** A list of things to do or to choose, opened by its trigger. */
export function Menu(props: MenuProps) {
  const [wanted, setWanted] = useState(false);
  const trigger = asTrigger(props.trigger, "menu", () => { setWanted(true); });
  if (!wanted) return trigger;
  return (
    <Suspense fallback={trigger}>
      <LoadedMenu {...props} />
    </Suspense>
  );
}

function LoadedMenu(props: MenuProps) {
  const { Menu: Loaded } = use(load());
  return <Loaded {...props} />;
}

export function MenuItem(props: MenuItemProps) {
  const { MenuItem: Loaded } = use(load());
  return <Loaded {...props} />;
}

/** One of several, the chosen one with a tick. */
export function MenuChoice<T extends string>(props: MenuChoiceProps<T>) {
  const { MenuChoice: Loaded } = use(load());
  return <Loaded {...props} />;
}

export function MenuLine() {
  const { MenuLine: Loaded } = use(load());
  return <Loaded />;
}

/** Free content by its trigger, for example a small form. */
export function Popover(props: PopoverProps) {
  const [wanted, setWanted] = useState(props.open);
  if (props.open && !wanted) setWanted(true);
  const trigger = asTrigger(props.trigger, "dialog", () => { props.onOpenChange(true); });
  if (!wanted) return trigger;
  return (
    <Suspense fallback={trigger}>
      <LoadedPopover {...props} />
    </Suspense>
  );
}

function LoadedPopover(props: PopoverProps) {
  const { Popover: Loaded } = use(load());
  return <Loaded {...props} />;
}
