import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { chooseLanguage, languages } from "../../i18n";
import { signOut } from "../../services/session";
import { chooseTheme, theme, themes } from "../../theme";
import { Avatar } from "../ui/Avatar";
import { Menu, MenuChoice, MenuItem, MenuLine } from "../ui/Menu";
import { Notice } from "../ui/Notice";
import { useSession } from "./session";
import { useOpen } from "./Shortcuts";

/** Who I am, how I like the pages, and the way out. */
export function MeMenu() {
  const { t, i18n } = useTranslation();
  const { user } = useSession();
  const open = useOpen();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [look, setLook] = useState(theme());
  const leave = useMutation({
    mutationFn: signOut,
    onSuccess: async () => {
      await navigate({ to: "/signin" });
      queries.clear();
    },
  });
  return (
    <>
      <Menu
        align="end"
        trigger={
          <button type="button" aria-label={t("frame.me", { name: user.name })} className="grid size-8 place-items-center rounded-full pointer-coarse:size-10">
            <Avatar name={user.name} />
          </button>
        }
      >
        <p className="px-2.5 py-1.5">
          <span className="block truncate font-semibold">{user.name}</span>
          {user.admin && <span className="block text-xs text-muted">{t("frame.admin")}</span>}
        </p>
        <MenuLine />
        <MenuChoice
          label={t("language.label")}
          value={languages.find((l) => l === i18n.language) ?? "zh-CN"}
          options={languages.map((l) => ({ value: l, label: t(`language.${l}`) }))}
          onChange={(l) => { void chooseLanguage(l); }}
        />
        <MenuChoice
          label={t("theme.label")}
          value={look}
          options={themes.map((choice) => ({ value: choice, label: t(`theme.${choice}`) }))}
          onChange={(choice) => {
            chooseTheme(choice);
            setLook(choice);
          }}
        />
        <MenuLine />
        <MenuItem icon="settings" onSelect={() => { void navigate({ to: "/system" }); }}>{t("frame.system")}</MenuItem>
        <MenuItem onSelect={() => { open("help"); }}>
          <span className="w-4 text-center font-mono text-muted" aria-hidden="true">{"?"}</span>
          {t("keys.title")}
        </MenuItem>
        <MenuLine />
        <MenuItem onSelect={() => { leave.mutate(); }}>{leave.isPending ? t("frame.signing_out") : t("frame.signout")}</MenuItem>
      </Menu>
      {leave.error && (
        <div className="fixed right-4 top-14 z-50 max-w-sm shadow-card">
          <Notice error={leave.error} onRetry={() => { leave.mutate(); }} />
        </div>
      )}
    </>
  );
}
