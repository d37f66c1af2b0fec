import { useState } from "react";
import { useTranslation } from "react-i18next";

import { Button } from "../../components/ui/Button";
import { Dialog } from "../../components/ui/Dialog";
import { Notice } from "../../components/ui/Notice";
import { all } from "../../services/system";
import { useRebuild } from "./useRebuild";

/** Rebuilds every read model, once somebody has read what that means. */
export function RebuildAll({ onStarted }: { onStarted: () => void }) {
  const { t } = useTranslation("system");
  const { t: common } = useTranslation();
  const [open, setOpen] = useState(false);
  const rebuild = useRebuild(all, () => {
    setOpen(false);
    onStarted();
  });
  const close = () => { setOpen(false); };
  return (
    <>
      <Button small onClick={() => { setOpen(true); }}>{t("rebuild.all")}</Button>
      <Dialog
        open={open}
        onClose={close}
        width="narrow"
        title={t("rebuild.all_title")}
        footer={
          <>
            <Button onClick={close}>{common("state.cancel")}</Button>
            <Button look="primary" aria-disabled={rebuild.starting} onClick={rebuild.start}>{rebuild.starting ? t("rebuild.asking") : t("rebuild.all_submit")}</Button>
          </>
        }
      >
        <p>{t("rebuild.all_why")}</p>
        {rebuild.error && <div className="mt-3"><Notice error={rebuild.error} /></div>}
      </Dialog>
    </>
  );
}
