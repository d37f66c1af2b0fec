import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { useTranslation } from "react-i18next";

import { Gate } from "../../components/frame/Gate";

/** Any address that no route knows. */
export function NotFoundPage(): ReactElement {
  const { t } = useTranslation();
  return (
    <Gate title={t("notfound.title")}>
      <p className="text-muted">{t("notfound.why")}</p>
      <Link to="/" className="inline-flex min-h-10 items-center underline underline-offset-4">
        {t("notfound.back")}
      </Link>
    </Gate>
  );
}
