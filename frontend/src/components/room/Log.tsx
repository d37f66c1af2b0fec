import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useEffectEvent, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import type { Outgoing } from "../../live/outbox";
import { useReadMark } from "../../live/useReadMark";
import { useRoom, useRoomStore } from "../../live/useRoom";
import { Icon } from "../ui/Icon";
import { useFormat } from "../ui/useFormat";
import { heightOf, type Item, itemsOf } from "./items";
import { ItemLine } from "./RowLine";

/** Within this of the end the log follows it. */
const nearEnd = 80;
/** Older rows are read while this much is still above. */
const readAhead = 900;

/** The room's rows, the newest at the end. Only those near the view are drawn. */
export function Log({ freshAfter, onPutBack }: { freshAfter: number; onPutBack: (o: Outgoing) => void }) {
  const { t } = useTranslation("room");
  const { loadOlder } = useRoomStore();
  const rows = useRoom((v) => v.rows);
  const more = useRoom((v) => v.more);
  const status = useRoom((v) => v.status);
  const answer = useRoom((v) => v.answer);
  const outbox = useRoom((v) => v.outbox);
  const loadingOlder = useRoom((v) => v.loadingOlder);
  const me = useRoom((v) => v.you?.id ?? "");
  const items = useMemo(() => itemsOf({ rows, more, status, answer, outbox }, freshAfter, me), [rows, more, status, answer, outbox, freshAfter, me]);
  const place = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const [leftAt, setLeftAt] = useState(0);

  // eslint-disable-next-line react-hooks/incompatible-library -- the rows below are drawn from it on every render
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => place.current,
    getItemKey: (at) => items[at]?.key ?? at,
    estimateSize: (at) => heightOf(items[at], place.current?.clientWidth ?? 380),
    overscan: 6,
    gap: 12,
    paddingStart: 14,
    paddingEnd: 12,
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: nearEnd,
  });

  const newest = rows.at(-1)?.seq ?? 0;
  const top = useRef(0);
  const look = useEffectEvent(() => {
    const now = place.current?.scrollTop ?? 0;
    // Only who scrolls back leaves the end; rows that come faster than the log follows do not.
    const back = now < top.current;
    top.current = now;
    const end = virtual.isAtEnd(nearEnd) || (atEnd && !back);
    if (end !== atEnd) {
      setAtEnd(end);
      setLeftAt(newest);
    }
    if ((virtual.scrollOffset ?? 0) < readAhead) void loadOlder();
  });
  const filled = items.length > 0;
  useLayoutEffect(() => {
    if (filled) virtual.scrollToEnd();
  }, [filled, virtual]);
  useEffect(() => {
    const log = place.current;
    if (!log) return;
    const scrolled = () => { look(); };
    log.addEventListener("scroll", scrolled, { passive: true });
    return () => { log.removeEventListener("scroll", scrolled); };
  }, []);
  const follow = useEffectEvent(() => {
    if (atEnd) virtual.scrollToEnd();
  });
  useLayoutEffect(() => { follow(); }, [items.length]);
  // The box grows, a keyboard opens: the end stays where it can be seen.
  useEffect(() => {
    if (!place.current || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(() => { follow(); });
    observer.observe(place.current);
    return () => { observer.disconnect(); };
  }, []);
  // A page that does not fill the log has nothing to scroll.
  useEffect(() => {
    const log = place.current;
    if (filled && log && log.clientHeight > 0 && log.scrollHeight <= log.clientHeight + readAhead) void loadOlder();
  }, [filled, items.length, loadOlder]);
  // Who says something wants to see it.
  const last = outbox.at(-1)?.key ?? "";
  useLayoutEffect(() => {
    if (last !== "") virtual.scrollToEnd();
  }, [last, virtual]);
  useReadMark(atEnd);

  const unseen = atEnd ? 0 : rows.reduce((n, r) => n + (r.seq > leftAt ? 1 : 0), 0);
  const shown = virtual.getVirtualItems();
  const first = items[shown.find((v) => v.end > (virtual.scrollOffset ?? 0))?.index ?? 0];
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={place}
        role="log"
        aria-live="off"
        aria-label={t("log")}
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
        tabIndex={0}
        className="absolute inset-0 overflow-y-auto overflow-x-hidden overscroll-contain [overflow-anchor:none]"
      >
        <div className="relative w-full" style={{ height: virtual.getTotalSize() }}>
          {shown.map((v) => {
            const item = items[v.index];
            return (
              item && (
                <div key={v.key} ref={virtual.measureElement} data-index={v.index} data-key={item.key} className="absolute inset-x-0 top-0 px-4" style={{ transform: `translateY(${v.start}px)` }}>
                  <ItemLine item={item} onPutBack={onPutBack} />
                </div>
              )
            );
          })}
        </div>
      </div>
      {loadingOlder && (virtual.scrollOffset ?? 0) < 60 && <Floating>{t("older")}</Floating>}
      {!loadingOlder && !atEnd && virtual.isScrolling && <DayOf item={first} />}
      {!atEnd && (
        <button
          type="button"
          onClick={() => { virtual.scrollToEnd(); }}
          className="absolute bottom-3 left-1/2 inline-flex min-h-8 -translate-x-1/2 items-center gap-1.5 rounded-full border border-line-strong bg-surface px-3 text-sm shadow-card hover:bg-sunken pointer-coarse:min-h-10"
        >
          <Icon name="arrowDown" className="size-3.5" />
          {unseen > 0 ? t("new_rows", { n: unseen }) : t("to_end")}
        </button>
      )}
    </div>
  );
}

function Floating({ children }: { children: string }) {
  return <p className="pointer-events-none absolute left-1/2 top-2 -translate-x-1/2 whitespace-nowrap rounded-full border border-line bg-surface px-3 text-xs leading-6 text-muted shadow-card">{children}</p>;
}

function DayOf({ item }: { item: Item | undefined }) {
  const format = useFormat();
  return item?.kind === "row" ? <Floating>{format.day(item.row.time)}</Floating> : null;
}
