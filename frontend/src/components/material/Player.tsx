import { type Ref, useImperativeHandle, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import { IconButton } from "../ui/Button";
import { useFormat } from "../ui/useFormat";
import type { Media } from "../../services/materials";

/** What a page may do to its player. */
export type PlayerHandle = { seek: (to: number) => void };

type Props = {
  media: Media & { video: string };
  cuts: number[];
  title: string;
  /** The cuts are told in words below; a page that shows them itself leaves that out. */
  told?: boolean;
  /** More stands below that should be in view with it. */
  low?: boolean;
  handle?: Ref<PlayerHandle>;
  onTime?: (at: number) => void;
};

/** A video with its cuts as marks on the time bar; the buttons beside step from cut to cut. */
export function Player({ media, cuts, title, told = true, low = false, handle, onTime }: Props) {
  const { t, i18n } = useTranslation("materials");
  const format = useFormat();
  const video = useRef<HTMLVideoElement>(null);
  const [playing, setPlaying] = useState(false);
  const [muted, setMuted] = useState(false);
  const [broken, setBroken] = useState(false);
  const [at, setAt] = useState(0);
  const [length, setLength] = useState(media.seconds);

  const toggle = () => {
    const v = video.current;
    if (!v) return;
    if (v.paused) v.play().catch(() => undefined); // refused by the browser: it stays paused, which shows
    else v.pause();
  };
  const seek = (to: number) => {
    const v = video.current;
    if (!v) return;
    v.currentTime = Math.min(Math.max(0, to), length);
    setAt(v.currentTime);
    onTime?.(v.currentTime);
  };
  useImperativeHandle(handle, () => ({ seek }));
  // A cut just left behind counts as the present one, so that pressing twice steps on.
  const previous = () => { seek(cuts.filter((c) => c < at - 0.3).at(-1) ?? 0); };
  const next = () => { seek(cuts.find((c) => c > at + 0.05) ?? length); };
  const list = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 1 });

  if (broken) return <p role="alert" className="grid min-h-48 place-content-center rounded-card bg-sunken px-6 text-center text-muted">{t("player.broken")}</p>;
  return (
    <section aria-label={t("player.label")} className="grid gap-2">
      <button type="button" aria-label={playing ? t("player.pause") : t("player.play")} onClick={toggle} className="relative overflow-hidden rounded-card bg-black">
        {/* eslint-disable-next-line jsx-a11y/media-has-caption -- found videos bring no captions; the analysis says what is known of their words */}
        <video
          ref={video}
          src={media.video}
          {...(media.poster ? { poster: media.poster } : {})}
          muted={muted}
          playsInline
          preload="metadata"
          aria-label={title}
          className={`mx-auto w-full object-contain max-sm:max-h-[48dvh] ${low ? "max-h-[max(240px,calc(100dvh-480px))]" : "max-h-[max(200px,calc(84dvh-280px))]"}`}
          style={media.width > 0 ? { aspectRatio: `${media.width} / ${media.height}` } : {}}
          onPlay={() => { setPlaying(true); }}
          onPause={() => { setPlaying(false); }}
          onEnded={() => { setPlaying(false); }}
          onTimeUpdate={(e) => {
            setAt(e.currentTarget.currentTime);
            onTime?.(e.currentTarget.currentTime);
          }}
          onLoadedMetadata={(e) => { if (Number.isFinite(e.currentTarget.duration)) setLength(e.currentTarget.duration); }}
          onError={() => { setBroken(true); }}
        />
        {!playing && (
          <span aria-hidden="true" className="absolute inset-0 m-auto grid size-14 place-content-center rounded-full bg-black/55 text-white">
            <svg viewBox="0 0 24 24" className="size-7" fill="currentColor"><path d="M8 5v14l11-7z" /></svg>
          </span>
        )}
      </button>
      <div className="relative h-6">
        <input
          type="range"
          aria-label={t("player.seek")}
          aria-valuetext={t("player.at", { at: format.duration(at), of: format.duration(length) })}
          min={0}
          max={length || 1}
          step={0.1}
          value={Math.min(at, length)}
          onChange={(e) => { seek(Number(e.target.value)); }}
          className="absolute inset-0 w-full accent-text"
        />
        {/* The thumb of a range is 16 px wide, so its middle travels from 8 px to 8 px before the end. */}
        <span aria-hidden="true" className="pointer-events-none absolute inset-x-2 top-0 h-6">
          {length > 0 && cuts.filter((c) => c < length).map((c) => <i key={c} className="absolute top-0 h-1.5 w-0.5 -translate-x-1/2 bg-text" style={{ left: `${(c / length) * 100}%` }} />)}
        </span>
      </div>
      <div className="flex items-center gap-1">
        <IconButton icon={playing ? "pause" : "play"} label={playing ? t("player.pause") : t("player.play")} onClick={toggle} />
        <IconButton icon="chevronLeft" label={t("player.previous")} disabled={cuts.length === 0} onClick={previous} />
        <IconButton icon="chevronRight" label={t("player.next")} disabled={cuts.length === 0} onClick={next} />
        <span className="ml-1 font-mono text-xs text-muted">{`${format.duration(at)} / ${format.duration(length)}`}</span>
        <span className="flex-1" />
        {media.sound ? (
          <button type="button" aria-pressed={muted} className={quiet} onClick={() => { setMuted(!muted); }}>
            {muted ? t("player.unmute") : t("player.mute")}
          </button>
        ) : (
          <span className="text-sm text-muted">{t("player.no_sound")}</span>
        )}
        <button type="button" className={quiet} onClick={() => { void video.current?.requestFullscreen(); }}>
          {t("player.full")}
        </button>
      </div>
      {told && <p className="text-xs text-muted">{cuts.length === 0 ? t("player.no_cuts") : t("player.cuts", { n: cuts.length, list: cuts.map((c) => list.format(c)).join(" · ") })}</p>}
    </section>
  );
}

const quiet = "min-h-8 rounded-control px-2 text-sm text-muted hover:bg-sunken hover:text-text pointer-coarse:min-h-10";
