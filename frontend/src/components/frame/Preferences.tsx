import { useState } from "react";
import { useTranslation } from "react-i18next";

import { chooseLanguage, type Language, languages } from "../../i18n";
import { chooseTheme, theme, themes } from "../../theme";
import { Select } from "../ui/Field";

/** Language and appearance, kept in this browser. */
export function Preferences() {
  const { t, i18n } = useTranslation();
  const [look, setLook] = useState(theme());
  return (
    <div className="flex flex-wrap gap-2">
      <Select
        label={t("language.label")}
        value={i18n.language}
        onChange={(e) => {
          const choice: Language = languages.find((l) => l === e.target.value) ?? "zh-CN";
          void chooseLanguage(choice);
        }}
      >
        {languages.map((language) => (
          <option key={language} value={language}>
            {t(`language.${language}`)}
          </option>
        ))}
      </Select>
      <Select
        label={t("theme.label")}
        value={look}
        onChange={(e) => {
          const choice = themes.find((x) => x === e.target.value) ?? "system";
          chooseTheme(choice);
          setLook(choice);
        }}
      >
        {themes.map((choice) => (
          <option key={choice} value={choice}>
            {t(`theme.${choice}`)}
          </option>
        ))}
      </Select>
    </div>
  );
}
