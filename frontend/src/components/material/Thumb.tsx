import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import { useFormat } from "../ui/useFormat";
import type { Material } from "../../services/materials";
import { Cuts } from "./Cuts";

/** A short rest of the pointer before the preview plays, so that crossing the grid starts nothing. */
const restMs = 120;

const still = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

/** The poster; while playing, the short preview without sound over it. cuts null: they are of no interest here. */
export function Thumb({ material, playing }: { material: Pick<Material, "media" | "rating"> & { cuts: number[] | null }; playing: boolean }) {
  const { t } = useTranslation("materials");
  const format = useFormat();
  const { media, cuts, rating } = material;
  const [broken, setBroken] = useState(false);
  const wide = media.width > media.height * 0.8;
  return (
    <span className="relative block aspect-[9/13] overflow-hidden bg-sunken">
      {media.poster && !broken ? (
        <>
          {wide && <img src={media.poster} alt="" loading="lazy" className="absolute inset-0 size-full scale-125 object-cover opacity-50 blur-xl" />}
          <img
            src={media.poster}
            alt=""
            loading="lazy"
            decoding="async"
            onError={() => { setBroken(true); }}
            className={`absolute inset-0 size-full ${wide ? "object-contain" : "object-cover"}`}
          />
        </>
      ) : (
        <span className="absolute inset-0 grid place-content-center gap-1 px-3 text-center text-sm text-muted">
          <NoMedia />
          {media.video ? t("tile.broken") : t("tile.no_media")}
        </span>
      )}
      {playing && media.preview && !still() && (
        <video
          src={media.preview}
          muted
          autoPlay
          loop
          playsInline
          aria-hidden="true"
          tabIndex={-1}
          className={`fade absolute inset-0 size-full ${wide ? "object-contain" : "object-cover"}`}
        />
      )}
      {rating === "high" && <span className="absolute left-2 top-2 rounded-full bg-black/65 px-2 text-xs leading-5 text-white">{t("rating.high")}</span>}
      {media.seconds > 0 && (
        <span className="absolute inset-x-0 bottom-0 flex items-center gap-2 bg-linear-to-t from-black/60 to-transparent px-2 pb-2 pt-6">
          <span className="min-w-0 flex-1">
            {cuts && <Cuts cuts={cuts} seconds={media.seconds} />}
          </span>
          <span className="rounded bg-black/65 px-1.5 font-mono text-[11px] font-semibold leading-5 text-white">
            <span aria-hidden="true">{format.duration(media.seconds)}</span>
            <span className="sr-only">{t("tile.seconds", { n: Math.round(media.seconds) })}</span>
          </span>
        </span>
      )}
    </span>
  );
}

function NoMedia() {
  return (
    <svg aria-hidden="true" viewBox="0 0 24 24" className="mx-auto size-7" fill="none" stroke="currentColor" strokeWidth="1.4" strokeLinecap="round" strokeLinejoin="round">
      <path d="M4 5h16v14H4zM4 9.5h16M8 5v4.5M16 5v4.5M3 21 21 3" />
    </svg>
  );
}

/** Whether the preview plays: hovered for a moment, or focused by the keyboard. */
export function useHover() {
  const [playing, setPlaying] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const stop = () => {
    clearTimeout(timer.current);
    setPlaying(false);
  };
  return {
    playing,
    handlers: {
      onPointerEnter: (event: { pointerType: string }) => {
        if (event.pointerType !== "mouse") return;
        clearTimeout(timer.current);
        timer.current = setTimeout(() => { setPlaying(true); }, restMs);
      },
      onPointerLeave: stop,
      onFocus: (event: { target: Element }) => {
        if (event.target.matches(":focus-visible")) setPlaying(true);
      },
      onBlur: stop,
    },
  };
}
