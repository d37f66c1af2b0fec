import { vi } from "vitest";

/** jsdom lays nothing out: a test says itself what is in view. */
export function fakeSight() {
  const watched = new Map<Element, IntersectionObserverCallback>();
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      readonly call: IntersectionObserverCallback;
      readonly mine = new Set<Element>();
      constructor(call: IntersectionObserverCallback) { this.call = call; }
      observe(element: Element) {
        watched.set(element, this.call);
        this.mine.add(element);
      }
      unobserve(element: Element) {
        watched.delete(element);
        this.mine.delete(element);
      }
      disconnect() { for (const element of this.mine) watched.delete(element); }
    },
  );
  return {
    watched,
    /** Moves an element: how much of it shows, and where its middle is. */
    move: (element: Element, ratio: number, top = 100) => {
      const entry = { target: element, isIntersecting: ratio > 0, intersectionRatio: ratio, boundingClientRect: { top, bottom: top + 300 } };
      watched.get(element)?.([entry as IntersectionObserverEntry], {} as IntersectionObserver);
    },
  };
}
