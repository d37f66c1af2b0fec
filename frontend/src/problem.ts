import type { TFunction } from "i18next";
import i18next from "i18next";

import type { Catalogues } from "./locales/catalogues";
import { Problem } from "./services/api";

type Word = keyof Catalogues["common"]["problem"];

function known(word: string): word is Word {
  return word !== "" && i18next.exists(`problem.${word}`);
}

/** One sentence for a person: by the refusal's own word, else by its class, else the server's words. */
export function sentenceOf(error: unknown, t: TFunction): string {
  if (!(error instanceof Problem)) return t("problem.other", { detail: String(error) });
  const word = [error.reason, error.code].find(known) ?? "other";
  return t(`problem.${word}`, {
    status: error.status,
    id: error.id,
    seconds: Math.max(1, error.retryAfter),
    detail: [error.message, ...error.fields.map((f) => f.message)].join(" · "),
  });
}
