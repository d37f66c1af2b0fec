import { type RefObject, useEffect, useEffectEvent } from "react";

/**
 * Keys of the card that has the focus, or that the room calls focused while no
 * other card has it. A card that is off screen is only scrolled to.
 */
export function useCardKeys(card: RefObject<HTMLElement | null>, focused: boolean, keys: Record<string, () => void>): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const element = card.current;
    const act = keys[event.key.toLowerCase()];
    if (!element || !act || event.defaultPrevented || event.repeat || event.isComposing) return;
    if (event.ctrlKey || event.metaKey || event.altKey || isWritten(event.target)) return;
    if (owner(document.activeElement) !== null ? owner(document.activeElement) !== element : !focused) return;
    if (!element.closest("[role=dialog]") && document.querySelector("[role=dialog]")) return;
    event.preventDefault();
    if (isInView(element)) {
      act();
      return;
    }
    element.scrollIntoView({ block: "center" });
    element.focus({ preventScroll: true });
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => { press(event); };
    window.addEventListener("keydown", listen);
    return () => { window.removeEventListener("keydown", listen); };
  }, []);
}

/** The card that an element stands in. */
const owner = (element: Element | null) => element?.closest("[data-card]") ?? null;

const isWritten = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Whether half of the card, or of what could be seen of it, is seen. */
export function isInView(element: HTMLElement): boolean {
  const box = element.getBoundingClientRect();
  let [top, bottom] = [0, window.innerHeight];
  for (let up = element.parentElement; up; up = up.parentElement) {
    if (!/auto|scroll|hidden/.test(getComputedStyle(up).overflowY)) continue;
    const frame = up.getBoundingClientRect();
    [top, bottom] = [Math.max(top, frame.top), Math.min(bottom, frame.bottom)];
  }
  const seen = Math.min(box.bottom, bottom) - Math.max(box.top, top);
  return seen >= Math.min(box.height, bottom - top) / 2;
}
