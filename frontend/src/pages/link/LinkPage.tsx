import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link as RouterLink, useNavigate, useParams } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { useTranslation } from "react-i18next";

import { AccountForm } from "../../components/account/AccountForm";
import { Gate } from "../../components/frame/Gate";
import { Notice } from "../../components/ui/Notice";
import { Skeleton } from "../../components/ui/Skeleton";
import { Problem } from "../../services/api";
import { acceptLink, linkQuery } from "../../services/links";
import type { Credentials } from "../../services/session";

/** /link/$token: the first administrator, or an invitation. */
export function LinkPage(): ReactElement {
  const { t, i18n } = useTranslation();
  const { token } = useParams({ from: "/link/$token" });
  const queries = useQueryClient();
  const navigate = useNavigate();
  const link = useQuery(linkQuery(token));
  const accept = useMutation({
    mutationFn: (credentials: Credentials) => acceptLink(token, credentials),
    onSuccess: () => {
      queries.clear();
      return navigate({ to: "/" });
    },
  });

  const failure = link.error ?? accept.error;
  if (failure instanceof Problem && failure.code === "not_found") {
    return (
      <Gate title={t("link.dead")}>
        <p className="text-muted">{t("link.dead_next")}</p>
        <RouterLink to="/signin" className="inline-flex min-h-10 items-center underline underline-offset-4">
          {t("link.to_signin")}
        </RouterLink>
      </Gate>
    );
  }
  if (link.isPending) return <Gate title={t("link.invite")}><Skeleton rows={4} height={40} /></Gate>;
  if (link.isError) {
    return <Gate title={t("link.invite")}><Notice error={link.error} onRetry={() => { void link.refetch(); }} /></Gate>;
  }
  const until = new Intl.DateTimeFormat(i18n.language, { dateStyle: "medium", timeStyle: "short" }).format(new Date(link.data.expires));
  return (
    <Gate title={t(`link.${link.data.purpose}`)}>
      <p className="text-muted">
        {t(`link.why_${link.data.purpose}`)} {link.data.admin && link.data.purpose === "invite" && t("link.admin")} {t("link.expires", { at: until })}
      </p>
      <AccountForm
        fresh
        submit={t("link.submit")}
        busyLabel={t("link.busy")}
        busy={accept.isPending}
        error={accept.error}
        onSubmit={(credentials) => { accept.mutate(credentials); }}
      />
    </Gate>
  );
}
