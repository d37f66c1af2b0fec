import { useFormat } from "./useFormat";

/** A time in few signs, the whole of it on hover. */
export function Time({ at, look = "ago", className = "" }: { at: Date | string; look?: "ago" | "clock" | "shortDay"; className?: string }) {
  const format = useFormat();
  const when = new Date(at);
  return (
    <time dateTime={when.toISOString()} title={format.dateTime(when)} className={`whitespace-nowrap ${className}`}>
      {format[look](when)}
    </time>
  );
}
