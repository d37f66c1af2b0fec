import { useTranslation } from "react-i18next";

import { useFormat } from "../../components/ui/useFormat";
import type { Build } from "../../services/system";

/** How far a build is: n of m events, how fast, and how long it will take. */
export function BuildLine({ build: b, name }: { build: Build; name: string }) {
  const { t } = useTranslation("system");
  const format = useFormat();
  const purpose = t(`build.${b.purpose}`);
  const share = b.target > 0 ? Math.min(1, b.seq / b.target) : 0;
  const running = b.state === "running";
  const where =
    b.state === "cancelled" ? t("build.cancelled")
    : b.state === "stopped" ? t("build.stopped")
    : b.seq >= b.target ? t("build.finishing")
    : b.eta > 0 ? t("build.eta", { time: format.span(b.eta) })
    : "";
  const said = [
    t("build.progress", { n: format.number(b.seq), m: format.number(b.target) }),
    ...(running && b.rate > 0 ? [t("build.rate", { n: format.number(Math.round(b.rate)) })] : []),
    ...(where === "" ? [] : [where]),
  ];
  return (
    <div className="grid gap-1 text-sm">
      <div className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-medium">{purpose}</span>
        <span className="text-muted tabular-nums max-sm:order-last max-sm:basis-full">{said.join(" · ")}</span>
        <span className="ml-auto text-muted tabular-nums">{format.percent(share)}</span>
      </div>
      <span
        role="progressbar"
        aria-label={t("build.label", { name, purpose })}
        aria-valuemin={0}
        aria-valuemax={b.target}
        aria-valuenow={Math.min(b.seq, b.target)}
        aria-valuetext={said.join(" · ")}
        className="block h-1.5 overflow-hidden rounded-full bg-line"
      >
        <i className={`block h-full rounded-full transition-[width] duration-150 ${running ? "bg-text" : "bg-control-line"}`} style={{ width: `${share * 100}%` }} />
      </span>
      {b.error !== "" && <p className="text-bad [overflow-wrap:anywhere]">{b.error}</p>}
      {b.process !== "" && <p className="text-xs text-muted [overflow-wrap:anywhere]">{t("build.by", { process: b.process })}</p>}
    </div>
  );
}
