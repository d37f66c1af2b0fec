import { useState } from "react";
import { useTranslation } from "react-i18next";

import { useRoomStore } from "../../live/useRoom";

/** Takes an own message back; its row says that it is gone. */
export function TakeBack({ message, text }: { message: string; text: string }) {
  const { t } = useTranslation("room");
  const { takeBack } = useRoomStore();
  const [state, setState] = useState<"idle" | "sent" | "failed">("idle");
  const go = () => {
    setState("sent");
    takeBack(message).catch(() => { setState("failed"); });
  };
  return (
    <>
      {state === "failed" && <span role="alert" className="text-bad">{t("compose.take_back_failed")}</span>}
      <button
        type="button"
        aria-label={t("take_back_of", { text: text.slice(0, 40) })}
        disabled={state === "sent"}
        onClick={go}
        className="whitespace-nowrap rounded px-1 underline underline-offset-4 hover:text-text disabled:opacity-60 pointer-coarse:min-h-10"
      >
        {t("take_back")}
      </button>
    </>
  );
}
