import { type ReactElement, useEffect, useEffectEvent, useRef, useState } from "react";
import { createPortal } from "react-dom";

import { Kbd } from "./Kbd";

/** How long a pointer rests before the words show, in milliseconds. */
const patience = 350;

type Spot = { left: number; top: number; above: boolean };

/** Words on hover and on focus by the keyboard; Escape hides them. The trigger has an accessible name of its own. */
export function Tip({ text, hint, children }: { text: string; hint?: string; children: ReactElement }) {
  const [spot, setSpot] = useState<Spot | null>(null);
  const timer = useRef<number | undefined>(undefined);

  const show = (trigger: Element) => {
    const box = trigger.getBoundingClientRect();
    const above = box.bottom + 40 > window.innerHeight;
    setSpot({ left: box.left + box.width / 2, top: above ? box.top - 6 : box.bottom + 6, above });
  };
  const hide = () => {
    clearTimeout(timer.current);
    setSpot(null);
  };
  useEffect(() => () => { clearTimeout(timer.current); }, []);

  // The wrapper takes no space and hears what happens to the trigger in it.
  return (
    <>
      <span
        role="presentation"
        className="contents"
        onPointerEnter={(event) => {
          const trigger = event.currentTarget.firstElementChild;
          if (trigger && event.pointerType !== "touch") timer.current = window.setTimeout(() => { show(trigger); }, patience);
        }}
        onPointerLeave={hide}
        onPointerDown={hide}
        onFocus={(event) => { if (event.target.matches(":focus-visible")) show(event.target); }}
        onBlur={hide}
      >
        {children}
      </span>
      {spot && <Words spot={spot} text={text} hint={hint} onEscape={hide} />}
    </>
  );
}

function Words({ spot, text, hint, onEscape }: { spot: Spot; text: string; hint: string | undefined; onEscape: () => void }) {
  const [shift, setShift] = useState(0);
  const pressed = useEffectEvent((event: KeyboardEvent) => { if (event.key === "Escape") onEscape(); });
  useEffect(() => {
    document.addEventListener("keydown", pressed);
    return () => { document.removeEventListener("keydown", pressed); };
  }, []);
  // Kept inside the window by as much as it would stick out.
  const place = (node: HTMLSpanElement | null) => {
    if (!node) return;
    const half = node.offsetWidth / 2;
    setShift(Math.max(0, 8 + half - spot.left) - Math.max(0, spot.left + half + 8 - window.innerWidth));
  };
  return createPortal(
    <span
      ref={place}
      role="tooltip"
      className={`fade pointer-events-none fixed z-50 flex max-w-72 -translate-x-1/2 items-center gap-2 rounded-md bg-text px-2 py-1 text-xs text-surface shadow-card ${spot.above ? "-translate-y-full" : ""}`}
      style={{ left: spot.left + shift, top: spot.top }}
    >
      {text}
      {hint !== undefined && <Kbd onDark>{hint}</Kbd>}
    </span>,
    document.body,
  );
}
