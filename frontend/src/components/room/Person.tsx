import { useFormat } from "../ui/useFormat";
import type { Speaker } from "./speech";

/** Who said it: name and role word always, the time on hover and focus (always where there is no hover). */
export function ByLine({ who, at, right = false, note }: { who: Speaker; at: string; right?: boolean; note?: string }) {
  const format = useFormat();
  const time = (
    <time dateTime={at} title={format.dateTime(at)} className="whitespace-nowrap tabular-nums opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 [@media(hover:none)]:opacity-100">
      {format.clock(at)}
    </time>
  );
  return (
    <p className={`mb-0.5 flex items-baseline gap-1.5 text-xs text-muted ${right ? "justify-end" : ""}`}>
      {right && time}
      <span className="truncate font-medium">{who.name}</span>
      {who.role !== "" && <span className="whitespace-nowrap">{who.role}</span>}
      {!right && time}
      {note !== undefined && <span className="whitespace-nowrap">{note}</span>}
    </p>
  );
}
