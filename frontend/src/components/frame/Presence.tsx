import { useTranslation } from "react-i18next";

import { Avatar } from "../ui/Avatar";
import { Tip } from "../ui/Tip";

/** Faces beyond this many are a number. */
const most = 4;

/** Who is in the room with me. */
export function Presence({ people }: { people: { id: string; name: string }[] }) {
  const { t, i18n } = useTranslation();
  if (people.length === 0) return null;
  const names = new Intl.ListFormat(i18n.language, { type: "conjunction" }).format(people.map((p) => p.name));
  const here = t("frame.here_names", { n: people.length, names });
  return (
    <Tip text={here}>
      <button type="button" className="flex min-h-8 cursor-default items-center gap-2 rounded-md text-xs text-muted max-sm:hidden">
        <span className="flex pl-1.5" aria-hidden="true">
          {people.slice(0, most).map((p) => (
            <Avatar key={p.id} name={p.name} className="-ml-1.5 ring-2 ring-surface" />
          ))}
        </span>
        <span aria-hidden="true" className="whitespace-nowrap max-lg:hidden">{t("frame.here", { n: people.length })}</span>
        <span className="sr-only">{here}</span>
      </button>
    </Tip>
  );
}
