import { useTranslation } from "react-i18next";

import { Icon, type IconName } from "../ui/Icon";
import type { RunState as State } from "../../services/runs";

const looks: Record<State, { icon: IconName; tone: string }> = {
  requested: { icon: "clock", tone: "text-muted" },
  running: { icon: "play", tone: "text-focus" },
  stopping: { icon: "stop", tone: "text-warn" },
  worker_lost: { icon: "alert", tone: "text-warn" },
  done: { icon: "check", tone: "text-good" },
  failed: { icon: "alert", tone: "text-bad" },
  cancelled: { icon: "close", tone: "text-muted" },
};

/** The state as a picture, beside words that say the same. */
export function StateIcon({ state }: { state: State }) {
  return <Icon name={looks[state].icon} className={looks[state].tone} />;
}

/** The state of a run: a picture and a word. */
export function RunState({ state }: { state: State }) {
  const { t } = useTranslation("tasks");
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap font-medium ${looks[state].tone}`}>
      <StateIcon state={state} />
      {t(`state.${state}`)}
    </span>
  );
}
