import { useTranslation } from "react-i18next";

import { useRoom } from "../../live/useRoom";

/** Who did something, in words: the name and what they are to the room. */
export type Speaker = { name: string; role: string; me: boolean };

/** Names an actor as the log writes it: user:…, butler:…, worker:…, system:… */
export function useSpeaker(): (actor: string) => Speaker {
  const { t } = useTranslation("room");
  const names = useRoom((v) => v.names);
  const me = useRoom((v) => v.you?.id ?? "");
  const rehearsal = useRoom((v) => v.model?.rehearsal === true);
  return (actor) => {
    const [kind = "", id = ""] = actor.split(":");
    if (kind === "user") return { name: names[id] ?? t("unknown"), role: id === me ? t("role.me") : t("role.member"), me: id === me };
    if (kind === "butler") return { name: t("role.butler"), role: rehearsal ? t("role.rehearsal") : "", me: false };
    return { name: t("role.system"), role: "", me: false };
  };
}

/** Some words of the server come as "中文 · English"; the reader's half is taken. */
export function half(text: string, language: string): string {
  const both = /^(.*\p{Script=Han}.*?) · ([^\p{Script=Han}]+)$/su.exec(text);
  if (both === null) return text;
  return (language.startsWith("zh") ? both[1] : both[2]) ?? text;
}
