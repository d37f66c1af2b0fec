import { useCallback } from "react";
import { useTranslation } from "react-i18next";

import type { People } from "../../services/genes";

/** A person's id, "" if the actor is none. */
export const personOf = (actor: string): string => (actor.startsWith("user:") ? actor.slice("user:".length) : "");

/** What to call an actor such as "user:…" or "butler:…". */
export function useNames(): (actor: string, people: People) => string {
  const { t } = useTranslation("card");
  return useCallback(
    (actor, people) => {
      if (actor.startsWith("user:")) return people[personOf(actor)] ?? t("who.person");
      if (actor.startsWith("butler:")) return t("who.butler");
      return t("who.system");
    },
    [t],
  );
}
