import { type PointerEvent, useRef } from "react";
import { useTranslation } from "react-i18next";

import { useFormat } from "../ui/useFormat";
import { type Panel, startsOf } from "../../services/boards";
import type { Feedback, Range } from "../../services/feedback";
import { between, rowsOf, secondAt } from "./range";

type Pin = Feedback & { range: Range };

type Props = {
  length: number;
  panels: Panel[];
  /** The second that plays. */
  at: number;
  chosen: Range | null;
  pins: Pin[];
  /** The comment that is looked at, "" if none. */
  current: string;
  onChoose: (range: Range | null) => void;
  onSeek: (at: number) => void;
  onPin: (pin: Pin) => void;
};

const rowHeight = 14;

/** The film from left to right: its panels, what was said about which stretch, and the stretch one is about to speak of. */
export function RangeBar({ length, panels, at, chosen, pins, current, onChoose, onSeek, onPin }: Props) {
  const { t } = useTranslation("films");
  const format = useFormat();
  const bar = useRef<HTMLDivElement>(null);
  const began = useRef<number | null>(null);
  const rows = rowsOf(pins.map((pin) => pin.range));
  const share = (seconds: number) => `${(Math.min(seconds, length) / (length || 1)) * 100}%`;
  const second = (e: PointerEvent) => {
    const box = bar.current?.getBoundingClientRect();
    return box ? secondAt(e.clientX, box.left, box.width, length) : 0;
  };
  return (
    <div className="grid gap-1">
      {pins.length > 0 && (
        <ul aria-label={t("bar.pins")} className="relative" style={{ height: (Math.max(...rows) + 1) * rowHeight }}>
          {pins.map((pin, i) => (
            <li key={pin.id}>
              <button
                type="button"
                aria-label={t("bar.pin", { name: pin.name, from: format.decimal(pin.range.from), to: format.decimal(pin.range.to), words: pin.words })}
                title={`${pin.name}: ${pin.words}`}
                aria-current={pin.id === current ? "true" : undefined}
                onClick={() => { onPin(pin); }}
                className="absolute h-2.5 min-w-2.5 rounded-full bg-control-line hover:bg-text aria-[current=true]:bg-text"
                style={{ left: share(pin.range.from), width: share(pin.range.to - pin.range.from), top: (rows[i] ?? 0) * rowHeight }}
              />
            </li>
          ))}
        </ul>
      )}
      {/* A pointer draws here; the fields below do the same for the keyboard. */}
      <div
        ref={bar}
        data-testid="range-bar"
        aria-hidden="true"
        className="relative flex h-9 cursor-crosshair touch-none select-none overflow-hidden rounded-control bg-line pointer-coarse:h-11"
        onPointerDown={(e) => {
          e.currentTarget.setPointerCapture(e.pointerId);
          began.current = second(e);
          onChoose(null);
        }}
        onPointerMove={(e) => { if (began.current !== null) onChoose(between(began.current, second(e))); }}
        onPointerUp={(e) => {
          const from = began.current;
          began.current = null;
          if (from !== null && between(from, second(e)) === null) onSeek(from);
        }}
        onPointerCancel={() => { began.current = null; }}
      >
        {startsOf(panels).map((start, i) => {
          const panel = panels[i];
          if (panel === undefined) return null;
          const on = at >= start && at < start + panel.seconds;
          return (
            <span key={panel.number} className={`grid h-full min-w-0 place-content-center overflow-hidden border-r-2 border-canvas font-mono text-[11px] last:border-0 ${on ? "bg-line-strong font-semibold text-text" : "text-muted"}`} style={{ width: share(panel.seconds) }}>
              {panel.number}
            </span>
          );
        })}
        {chosen && <span className="pointer-events-none absolute inset-y-0 border-x-2 border-focus bg-focus/25" style={{ left: share(chosen.from), width: share(chosen.to - chosen.from) }} />}
        <span className="pointer-events-none absolute inset-y-0 w-0.5 -translate-x-1/2 bg-text" style={{ left: share(at) }} />
      </div>
    </div>
  );
}
