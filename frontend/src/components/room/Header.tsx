import { useTranslation } from "react-i18next";

import { useRoom } from "../../live/useRoom";
import { Tip } from "../ui/Tip";

/** The butler: what it is at, by whom it is played, and who types. */
export function Header() {
  const { t } = useTranslation("room");
  const state = useRoom((v) => v.status?.state);
  const model = useRoom((v) => v.model);
  return (
    <header className="flex min-h-11 items-baseline gap-2 border-b border-line px-4 py-2.5">
      <h2 className="font-semibold">{t("title")}</h2>
      {state !== undefined && <span className="whitespace-nowrap text-xs text-muted" data-status={state}>{t(`status.${state}`)}</span>}
      {model !== null && (
        <Tip text={model.rehearsal ? t("rehearsal_why") : model.name}>
          <span className="truncate text-xs text-muted">{`· ${model.rehearsal ? t("rehearsal") : model.name}`}</span>
        </Tip>
      )}
    </header>
  );
}

/** Who types, other than this person. It takes no room of its own. */
export function Typing() {
  const { t } = useTranslation("room");
  const people = useRoom((v) => v.presence);
  const me = useRoom((v) => v.you?.id ?? "");
  const names = people.filter((p) => p.typing && p.id !== me).map((p) => p.name);
  if (names.length === 0) return null;
  return <p className="truncate px-4 pt-1 text-xs text-muted">{t("presence.typing", { names: names.join(t("and")) })}</p>;
}
