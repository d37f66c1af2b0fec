import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import { useFormat } from "../ui/useFormat";
import type { Clip, Panel } from "../../services/boards";
import { useNear } from "./useNear";

/** The picture with which a panel begins, out of its clip; pressed, it plays the stretch that the panel takes. */
export function PanelFrame({ panel, clip, className = "" }: { panel: Panel; clip: Clip | undefined; className?: string }) {
  const { t } = useTranslation("boards");
  const format = useFormat();
  const place = useRef<HTMLDivElement>(null);
  const video = useRef<HTMLVideoElement>(null);
  const near = useNear(place);
  const [playing, setPlaying] = useState(false);
  const [broken, setBroken] = useState(false);
  const end = panel.to > panel.from ? panel.to : panel.from + panel.seconds;
  const source = clip?.video ?? null;

  const rest = () => {
    const v = video.current;
    if (!v) return;
    v.pause();
    v.currentTime = panel.from;
  };
  const toggle = () => {
    const v = video.current;
    if (!v) return;
    if (v.paused) v.play().catch(() => undefined); // refused by the browser: the picture stays, which shows
    else rest();
  };

  return (
    <div ref={place} className={`relative overflow-hidden bg-sunken ${className}`}>
      {source === null || broken ? (
        <p className="absolute inset-0 grid place-content-center px-3 text-center text-sm text-muted">
          {panel.material === "" ? t("panel.no_clip") : broken ? t("panel.broken") : t("panel.no_file")}
        </p>
      ) : (
        <button
          type="button"
          aria-label={t(playing ? "panel.stop" : "panel.play", { n: panel.number })}
          onClick={toggle}
          className="group/frame absolute inset-0 block size-full outline-offset-[-2px]"
        >
          {clip?.poster && <img src={clip.poster} alt="" loading="lazy" className="absolute inset-0 size-full object-cover" />}
          {near && (
            <video
              ref={video}
              // The fragment has the browser show the frame at that second.
              src={`${source}#t=${panel.from}`}
              muted
              playsInline
              preload="metadata"
              aria-hidden="true"
              tabIndex={-1}
              className="absolute inset-0 size-full object-cover"
              onPlay={() => { setPlaying(true); }}
              onPause={() => { setPlaying(false); }}
              onTimeUpdate={(e) => { if (!e.currentTarget.paused && e.currentTarget.currentTime >= end) rest(); }}
              onEnded={rest}
              onError={() => { setBroken(true); }}
            />
          )}
          {!playing && (
            <span aria-hidden="true" className="absolute inset-0 m-auto grid size-10 place-content-center rounded-full bg-black/55 text-white opacity-0 transition-opacity duration-100 group-hover/frame:opacity-100 group-focus-visible/frame:opacity-100 pointer-coarse:opacity-80">
              <svg viewBox="0 0 24 24" className="size-5" fill="currentColor"><path d="M8 5v14l11-7z" /></svg>
            </span>
          )}
        </button>
      )}
      <span aria-hidden="true" className="pointer-events-none absolute left-2 top-2 grid size-6 place-content-center rounded-full bg-black/65 font-mono text-xs font-semibold text-white">{panel.number}</span>
      <span className="pointer-events-none absolute bottom-2 right-2 rounded bg-black/65 px-1.5 font-mono text-[11px] font-semibold leading-5 text-white">{format.seconds(panel.seconds)}</span>
    </div>
  );
}
