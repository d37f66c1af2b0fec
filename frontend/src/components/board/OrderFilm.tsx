import { useTranslation } from "react-i18next";

import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Notice } from "../ui/Notice";
import { useFormat } from "../ui/useFormat";
import { type Board, lengthOf } from "../../services/boards";
import { useRunCap } from "../frame/session";

type Props = { open: boolean; board: Board; aspect: string; busy: boolean; error: unknown; onClose: () => void; onStart: () => void };

/** "Make the film": says what will be made, and pressing start is the nod. */
export function OrderFilm({ open, board, aspect, busy, error, onClose, onStart }: Props) {
  const { t } = useTranslation("boards");
  const cap = useRunCap();
  const format = useFormat();
  return (
    <Dialog
      open={open}
      onClose={onClose}
      width="narrow"
      title={t("film.title")}
      description={t("film.why", { cap })}
      footer={
        <>
          <Button onClick={onClose}>{t("order.cancel")}</Button>
          <Button look="primary" aria-disabled={busy} onClick={() => { if (!busy) onStart(); }}>{busy ? t("order.starting") : t("film.start")}</Button>
        </>
      }
    >
      <div className="grid gap-3">
        <p className="font-medium [overflow-wrap:anywhere]">{board.title}</p>
        <p className="text-muted tabular-nums">
          {[t("tile.panels", { n: board.panels.length }), t("film.length", { n: format.seconds(lengthOf(board.panels)) }), ...(aspect === "" ? [] : [aspect])].join(" · ")}
        </p>
        {error !== null && error !== undefined && <Notice error={error} />}
      </div>
    </Dialog>
  );
}
