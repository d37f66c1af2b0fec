import { useTranslation } from "react-i18next";

import { Chip } from "../ui/Button";
import { Icon } from "../ui/Icon";

type Props = {
  n: number;
  kept: boolean;
  busy: boolean;
  /** Only one's own wish can be taken back. */
  onToggle: () => void;
};

/** "Keep panel n": the next version leaves it as it is. */
export function KeepChip({ n, kept, busy, onToggle }: Props) {
  const { t } = useTranslation("boards");
  return (
    <Chip on={kept} aria-disabled={busy} title={t(kept ? "keep.on" : "keep.why")} onClick={() => { if (!busy) onToggle(); }}>
      {kept && <Icon name="check" className="size-3.5" />}
      {t("keep.label", { n })}
    </Chip>
  );
}
