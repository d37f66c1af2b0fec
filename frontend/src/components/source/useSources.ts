import { useTranslation } from "react-i18next";

import type { Searchable } from "../../services/session";
import { useSession } from "../frame/session";
import { useWords } from "../material/words";
import { useFormat } from "../ui/useFormat";

/** A source as the pages show it. */
export type Source = {
  name: string;
  /** What people call it. */
  title: string;
  configured: boolean;
  /** What a search there does. */
  what: string;
  /** What it costs, or what it needs before anything can be found there; "" if nobody knows. */
  cost: string;
};

/** Every source there is here, then those of `named` that nobody here knows. */
export function useSources(named: readonly string[] = []): Source[] {
  const { t, i18n } = useTranslation("sources");
  const { sources, limits } = useSession();
  const words = useWords();
  const format = useFormat();
  const list = (platforms: string[]) => new Intl.ListFormat(i18n.language, { type: "conjunction" }).format(platforms.map((p) => words.platform(p)));

  const what = ({ name, platforms }: Searchable): string => {
    switch (name) {
      case "fast":
        return platforms.length > 0 ? t("what.fast_more", { list: list(platforms) }) : t("what.fast");
      case "competitor":
        return t("what.competitor", { n: limits.competitorSearches, minutes: limits.competitorMinutes });
      case "hot":
        return t("what.hot", { minutes: limits.hotMinutes });
      default:
        return t("what.unknown");
    }
  };
  const cost = ({ name, configured, platforms, price }: Searchable): string => {
    if (!configured) return t("cost.needs");
    if (name === "fast") return platforms.length > 0 ? t("cost.platforms", { list: list(platforms) }) : t("cost.free");
    return price > 0 ? t("cost.each", { cost: format.money(price) }) : t("cost.unstated");
  };
  const strangers = named.filter((name) => !sources.some((s) => s.name === name));
  return [
    ...sources.map((s) => ({ name: s.name, title: words.source(s.name), configured: s.configured, what: what(s), cost: cost(s) })),
    ...strangers.map((name) => ({ name, title: name, configured: false, what: t("what.unknown"), cost: "" })),
  ];
}
