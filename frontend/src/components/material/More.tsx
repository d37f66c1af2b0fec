import { useEffect, useEffectEvent, useRef } from "react";

import { Button } from "../ui/Button";

type Props = { more: boolean; busy: boolean; label: string; end: string; onMore: () => void };

/** The end of a list: the next page is read when it comes into view, or by the button. */
export function More({ more, busy, label, end, onMore }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const reached = useEffectEvent(() => {
    if (more && !busy) onMore();
  });
  useEffect(() => {
    if (!place.current) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((e) => e.isIntersecting)) reached();
    });
    observer.observe(place.current);
    return () => { observer.disconnect(); };
  }, []);
  return (
    <div ref={place} className="flex justify-center py-3 text-sm text-muted">
      {more ? <Button small aria-disabled={busy} onClick={() => { if (!busy) onMore(); }}>{label}</Button> : <p>{end}</p>}
    </div>
  );
}
