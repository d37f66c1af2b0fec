import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef } from "react";
import { useTranslation } from "react-i18next";

import { clampWidth, narrowest, widest } from "./useDrawer";

type Props = { width: number; onWidth: (width: number) => void; children: ReactNode };

/** The right column; its left edge is drawn with the pointer or moved with the arrow keys. */
export function Drawer({ width, onWidth, children }: Props) {
  const { t } = useTranslation();
  const column = useRef<HTMLElement>(null);
  const drawn = useRef<number | null>(null);

  // While it is drawn only the style changes; the width is kept when the pointer lets go.
  const draw = (event: PointerEvent) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId) || !column.current) return;
    drawn.current = clampWidth(window.innerWidth - event.clientX, window.innerWidth);
    column.current.style.width = `${drawn.current}px`;
  };
  const drop = () => {
    if (drawn.current !== null) onWidth(drawn.current);
    drawn.current = null;
  };
  const step = (event: KeyboardEvent) => {
    const by = { ArrowLeft: 24, ArrowRight: -24 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    onWidth(width + by);
  };

  return (
    <aside ref={column} aria-label={t("frame.room")} className="relative flex min-h-0 shrink-0 flex-col border-l border-line bg-surface" style={{ width }}>
      {/* A separator that takes the focus is a widget: it has a value and keys. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <div
        role="separator"
        aria-orientation="vertical"
        aria-label={t("frame.resize")}
        aria-valuenow={width}
        aria-valuemin={narrowest}
        aria-valuemax={widest}
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        className="absolute inset-y-0 -left-1.5 z-10 w-3 cursor-col-resize touch-none after:absolute after:inset-y-0 after:left-1 after:w-0.5 after:transition-colors after:duration-100 hover:after:bg-line-strong focus-visible:outline-none focus-visible:after:bg-focus"
        onPointerDown={(event) => { event.currentTarget.setPointerCapture(event.pointerId); }}
        onPointerMove={draw}
        onPointerUp={drop}
        onPointerCancel={drop}
        onKeyDown={step}
      />
      {children}
    </aside>
  );
}
