import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { Kbd } from "../ui/Kbd";
import { find, grouped, type Item } from "./commands";
import { usePaletteItems } from "./usePaletteItems";

/** ⌘K: jump to a page or an agent, or search the materials. */
export function Palette({ agent, onClose }: { agent: string | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const { items, search } = usePaletteItems(agent, query);
  const hits = [...find(items, query), ...(search ? [search] : [])];
  const groups = grouped(hits);
  const order = groups.flatMap((g) => g.items);
  const active = order[Math.min(at, order.length - 1)];

  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [active?.id]);

  const choose = (item: Item) => {
    onClose();
    item.run();
  };
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined && order.length > 0) {
      event.preventDefault();
      setAt((Math.min(at, order.length - 1) + by + order.length) % order.length);
    }
    if (event.key === "Enter" && active) {
      event.preventDefault();
      choose(active);
    }
  };

  return (
    <Dialog open onClose={onClose} title={t("palette.open")} bare>
      <div className="flex items-center gap-3 border-b border-line px-4">
        <Icon name="search" className="text-muted" />
        <input
          role="combobox"
          aria-label={t("palette.open")}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={active ? `${id}-${active.id}` : undefined}
          aria-autocomplete="list"
          className="min-h-12 w-full bg-transparent outline-none placeholder:text-muted max-sm:text-[16px]"
          placeholder={t("palette.hint")}
          value={query}
          onChange={(e) => {
            setQuery(e.target.value);
            setAt(0);
          }}
          onKeyDown={press}
        />
        <Kbd>{"Esc"}</Kbd>
      </div>
      <p role="status" className="sr-only">{t("palette.results", { n: order.length })}</p>
      {order.length === 0 && <p className="px-4 py-8 text-center text-muted">{t("palette.none")}</p>}
      <div ref={list} id={`${id}-list`} role="listbox" aria-label={t("palette.open")} className="max-h-[50dvh] overflow-y-auto p-1.5">
        {groups.map((group) => (
          <div key={group.name} role="group" aria-label={group.name}>
            <p aria-hidden="true" className="px-2.5 pb-0.5 pt-2 text-xs text-muted">{group.name}</p>
            {group.items.map((item) => (
              // The keys are the input's; the pointer chooses here.
              // eslint-disable-next-line jsx-a11y/click-events-have-key-events
              <div
                key={item.id}
                id={`${id}-${item.id}`}
                role="option"
                tabIndex={-1}
                aria-selected={item === active}
                className="flex min-h-10 cursor-pointer items-center gap-3 rounded-md px-2.5 aria-selected:bg-sunken"
                onClick={() => { choose(item); }}
                onPointerMove={() => { setAt(order.indexOf(item)); }}
              >
                <Icon name={item.icon} className="text-muted" />
                <span className="min-w-0 flex-1 truncate">{item.label}</span>
                {item.hint !== undefined && <span className="font-mono text-xs text-muted">{item.hint}</span>}
              </div>
            ))}
          </div>
        ))}
      </div>
    </Dialog>
  );
}
