import * as RadixTabs from "@radix-ui/react-tabs";
import type { ReactNode } from "react";

type Tab = { id: string; label: ReactNode; panel: ReactNode };

type Props = {
  label: string;
  tabs: Tab[];
  value: string;
  onChange: (id: string) => void;
  /** On the ink-blue ground of a card. */
  onInk?: boolean;
};

/** Tabs inside a page; the frame's tabs are links. */
export function Tabs({ label, tabs, value, onChange, onInk = false }: Props) {
  const row = onInk ? "border-ink-line" : "border-line";
  const tab = onInk
    ? "text-on-ink-muted data-[state=active]:border-on-ink data-[state=active]:text-on-ink"
    : "text-muted hover:text-text data-[state=active]:border-text data-[state=active]:font-semibold data-[state=active]:text-text";
  return (
    <RadixTabs.Root value={value} onValueChange={onChange}>
      <RadixTabs.List aria-label={label} className={`flex gap-4 border-b text-sm ${row}`}>
        {tabs.map(({ id, label: name }) => (
          <RadixTabs.Trigger key={id} value={id} className={`-mb-px flex min-h-8 items-center gap-1.5 border-b-2 border-transparent pointer-coarse:min-h-10 ${tab}`}>
            {name}
          </RadixTabs.Trigger>
        ))}
      </RadixTabs.List>
      {tabs.map(({ id, panel }) => (
        <RadixTabs.Content key={id} value={id} className="pt-3">
          {panel}
        </RadixTabs.Content>
      ))}
    </RadixTabs.Root>
  );
}
