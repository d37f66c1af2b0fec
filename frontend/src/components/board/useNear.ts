import { type RefObject, useEffect, useState } from "react";

/** How far below the window something counts as near. */
const margin = "400px";

/** Whether an element has come near the window: what costs something waits until then. */
export function useNear(place: RefObject<Element | null>): boolean {
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (!place.current || near) return;
    const observer = new IntersectionObserver((entries) => { if (entries.some((e) => e.isIntersecting)) setNear(true); }, { rootMargin: margin });
    observer.observe(place.current);
    return () => { observer.disconnect(); };
  }, [place, near]);
  return near;
}
