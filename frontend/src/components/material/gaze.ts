/** At least half visible for this long is seen. */
export const seenAfter = 1_000;
/** Less than this is a flash nobody could have noticed, such as a restored scroll position. */
export const glimpse = 100;

type Watched = { id: string; half: boolean; since: number; dwell: number; seen: boolean; timer: ReturnType<typeof setTimeout> | undefined };

export type Gaze = {
  /** Watches an element until the returned function is called. */
  watch: (element: Element, id: string) => () => void;
  /** While something covers the page nothing on it is looked at. */
  pause: (on: boolean) => void;
};

/**
 * Tells what was looked at and what was scrolled past. Seen: at least half visible
 * for a second, while the page is in front. Passed: at least half visible, but for
 * less than that, and then gone over the upper edge.
 */
export function makeGaze(tell: { seen: (id: string) => void; passed: (id: string) => void }): Gaze {
  const all = new Map<Element, Watched>();
  let paused = false;
  const awake = () => !paused && document.visibilityState === "visible";

  const begin = (w: Watched) => {
    if (w.seen || w.timer !== undefined || !w.half || !awake()) return;
    w.since = performance.now();
    w.timer = setTimeout(() => {
      w.timer = undefined;
      w.seen = true;
      tell.seen(w.id);
    }, seenAfter);
  };
  const end = (w: Watched) => {
    if (w.timer === undefined) return;
    clearTimeout(w.timer);
    w.timer = undefined;
    w.dwell += performance.now() - w.since;
  };
  const again = () => {
    for (const w of all.values()) (awake() ? begin : end)(w);
  };

  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        const w = all.get(entry.target);
        if (!w) continue;
        w.half = entry.isIntersecting && entry.intersectionRatio >= 0.5;
        if (w.half) begin(w);
        else end(w);
        const { top, bottom } = entry.boundingClientRect;
        const gone = !entry.isIntersecting && bottom > top; // not merely hidden by another tab
        if (gone && !w.seen && awake() && w.dwell >= glimpse && (top + bottom) / 2 < window.innerHeight / 2) {
          w.seen = true; // told once
          tell.passed(w.id);
        }
        if (gone) w.dwell = 0;
      }
    },
    { threshold: [0, 0.5] },
  );

  return {
    watch: (element, id) => {
      if (all.size === 0) document.addEventListener("visibilitychange", again);
      all.set(element, { id, half: false, since: 0, dwell: 0, seen: false, timer: undefined });
      observer.observe(element);
      return () => {
        observer.unobserve(element);
        clearTimeout(all.get(element)?.timer);
        all.delete(element);
        if (all.size === 0) document.removeEventListener("visibilitychange", again);
      };
    },
    pause: (on) => {
      paused = on;
      again();
    },
  };
}
