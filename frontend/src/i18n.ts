import i18next from "i18next";
import { initReactI18next } from "react-i18next";

import type { Catalogues } from "./locales/catalogues";

export const languages = ["zh-CN", "en"] as const;
export type Language = (typeof languages)[number];

const stored = "sozai.language";

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "common";
    resources: Catalogues;
  }
}

// A file is a namespace; only the language that is read gets loaded.
const files = import.meta.glob<Catalogues[keyof Catalogues]>("./locales/{zh-CN,en}/*.ts", { import: "default" });

async function catalogues(language: Language): Promise<Record<string, Catalogues[keyof Catalogues]>> {
  const place = `./locales/${language}/`;
  const mine = Object.entries(files).filter(([path]) => path.startsWith(place));
  return Object.fromEntries(await Promise.all(mine.map(async ([path, load]) => [path.slice(place.length, -".ts".length), await load()] as const)));
}

/** The person's choice, else the browser's first known language, else Chinese. */
function firstLanguage(): Language {
  const known = [localStorage.getItem(stored), ...navigator.languages].map((tag) => {
    if (tag?.startsWith("zh")) return "zh-CN";
    return tag?.startsWith("en") ? "en" : null;
  });
  return known.find((tag) => tag !== null) ?? "zh-CN";
}

export async function startI18n(language: Language = firstLanguage()): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: false, // the compiler checks that every catalogue is whole
    defaultNS: "common",
    resources: { [language]: await catalogues(language) },
    interpolation: { escapeValue: false }, // React escapes
    showSupportNotice: false, // no advertisement in people's consoles
  });
  document.documentElement.lang = language;
}

export async function chooseLanguage(language: Language): Promise<void> {
  for (const [namespace, catalogue] of Object.entries(await catalogues(language))) {
    i18next.addResourceBundle(language, namespace, catalogue, true, true);
  }
  localStorage.setItem(stored, language);
  document.documentElement.lang = language;
  await i18next.changeLanguage(language);
}
