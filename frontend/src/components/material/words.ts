import { useTranslation } from "react-i18next";

import type { Material } from "../../services/materials";

const platforms = ["douyin", "kuaishou", "tiktok", "youtube", "bilibili", "xiaohongshu", "instagram", "facebook"] as const;
const sources = ["fast", "competitor", "hot"] as const;

/** Names for what comes as a word from outside; an unknown one is shown as it came. */
export function useWords() {
  const { t } = useTranslation("materials");
  return {
    platform(word: string): string {
      const known = platforms.find((p) => p === word.toLowerCase());
      return known ? t(`platform.${known}`) : word;
    },
    source(word: string): string {
      const known = sources.find((s) => s === word);
      return known ? t(`source.${known}`) : word;
    },
    title: (material: Material) => material.title || t("tile.untitled"),
  };
}

/** An address of the web, or nothing: what a list brought may be anything. */
export function webAddress(text: string): string | null {
  try {
    const url = new URL(text);
    return url.protocol === "https:" || url.protocol === "http:" ? url.href : null;
  } catch {
    return null;
  }
}
