import { useTranslation } from "react-i18next";

import { Dialog } from "../ui/Dialog";
import { Kbd } from "../ui/Kbd";
import { paletteKey } from "./keys";

const groups = [
  { title: "everywhere", keys: [[paletteKey.replace("⌘", "⌘ "), "palette"], ["?", "help"], ["Esc", "escape"]] },
  { title: "in_agent", keys: [["g m", "materials"], ["g b", "boards"], ["g f", "films"], ["g g", "gene"], ["g t", "tasks"], ["g r", "room"], ["⏎", "send"], ["⇧ ⏎", "newline"]] },
  { title: "on_card", keys: [["A", "apply"], ["E", "edit"], ["D", "reject"]] },
] as const;

/** The list of keys. */
export function Help({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog open onClose={onClose} title={t("keys.title")} width="narrow">
      <div className="grid gap-5">
        {groups.map((group) => (
          <section key={group.title}>
            <h3 className="mb-1 text-sm text-muted">{t(`keys.${group.title}`)}</h3>
            <dl>
              {group.keys.map(([keys, what]) => (
                <div key={what} className="flex min-h-8 items-center gap-4 border-b border-line last:border-0">
                  <dd className="order-2 ml-auto flex gap-1">
                    {keys.split(" ").map((key, i) => (
                      <Kbd key={i}>{key}</Kbd>
                    ))}
                  </dd>
                  <dt>{t(`keys.${what}`)}</dt>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
