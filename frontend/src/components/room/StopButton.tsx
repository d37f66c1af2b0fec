import { useState } from "react";
import { useTranslation } from "react-i18next";

import { useRoom, useRoomStore } from "../../live/useRoom";
import { IconButton } from "../ui/Button";

/** Stops the answer that is being written, for everybody. That it stops is said by the log, not by this button. */
export function StopButton() {
  const { t } = useTranslation("room");
  const { stop } = useRoomStore();
  const turn = useRoom((v) => v.status?.turn ?? "");
  const stopping = useRoom((v) => v.status?.state === "stopping");
  // What was asked is asked of one turn: the next one has its own button.
  const [asked, setAsked] = useState({ turn: "", failed: false });
  const waits = stopping || (asked.turn === turn && !asked.failed);
  return (
    <>
      {asked.turn === turn && asked.failed && !stopping && <span role="alert" className="self-center text-sm text-bad">{t("compose.stop_failed")}</span>}
      <IconButton
        look="plain"
        icon="stop"
        label={waits ? t("compose.stopping") : t("compose.stop")}
        disabled={waits}
        className="!size-10 !rounded-[10px] [&_path]:fill-current"
        onClick={() => {
          setAsked({ turn, failed: false });
          stop().catch(() => { setAsked({ turn, failed: true }); });
        }}
      />
    </>
  );
}
