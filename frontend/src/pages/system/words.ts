import { useTranslation } from "react-i18next";

const known = ["timeline", "tasks", "genes", "feedback", "library", "performance", "lineage", "directory", "notices"] as const;

/** What a read model is called. */
export function useProjectionName(): (name: string) => string {
  const { t } = useTranslation("system");
  return (name) => {
    const word = known.find((k) => k === name);
    return word ? t(`name.${word}`) : `${t("name.other")} ${name}`;
  };
}
