import { useTranslation } from "react-i18next";

import { sentenceOf } from "../../problem";
import { Button } from "./Button";

/** What went wrong, said once to everybody, with the next step where there is one. */
export function Notice({ error, onRetry, kept = false }: { error: unknown; onRetry?: () => void; kept?: boolean }) {
  const { t } = useTranslation();
  return (
    <div role="alert" className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-control bg-bad-ground px-3 py-2 text-bad">
      <p className="min-w-0 flex-1 basis-56">
        {sentenceOf(error, t)} {kept && t("state.kept")}
      </p>
      {onRetry && <Button small onClick={onRetry}>{t("state.retry")}</Button>}
    </div>
  );
}
