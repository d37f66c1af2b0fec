import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { useTranslation } from "react-i18next";

import { AccountForm } from "../../components/account/AccountForm";
import { Gate } from "../../components/frame/Gate";
import { signIn } from "../../services/session";

/** /signin */
export function SignInPage(): ReactElement {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const enter = useMutation({
    mutationFn: signIn,
    onSuccess: () => {
      queries.clear(); // nothing of an earlier person
      return navigate({ to: "/" });
    },
  });
  return (
    <Gate title={t("signin.title")}>
      <AccountForm
        fresh={false}
        submit={t("signin.submit")}
        busyLabel={t("signin.busy")}
        busy={enter.isPending}
        error={enter.error}
        onSubmit={(credentials) => { enter.mutate(credentials); }}
      />
      <p className="text-muted">{t("signin.none")}</p>
    </Gate>
  );
}
