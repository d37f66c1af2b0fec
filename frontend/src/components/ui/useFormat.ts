import { useMemo } from "react";
import { useTranslation } from "react-i18next";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const sizes = ["B", "kB", "MB", "GB", "TB"];

function formats(language: string) {
  const date = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(language, options);
    return (at: Date | string) => format.format(new Date(at));
  };
  const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });
  const whole = new Intl.NumberFormat(language);
  const compact = new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 });
  const part = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0 });
  const unit = (name: string, digits = 0) => new Intl.NumberFormat(language, { style: "unit", unit: name, unitDisplay: "short", maximumFractionDigits: digits });
  const precise = unit("second", 1);
  const [second, minutes, hours] = [unit("second"), unit("minute"), unit("hour", 1)];
  const tenth = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
  const yuan = new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  return {
    /** 10:42 */
    clock: date({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
    /** 11月30日 星期一 */
    day: date({ month: "long", day: "numeric", weekday: "long" }),
    /** 11月27日 */
    shortDay: date({ month: "short", day: "numeric" }),
    /** With everything, for a tooltip. */
    dateTime: date({ dateStyle: "medium", timeStyle: "medium" }),
    /** 3 分钟前; now is passed in, so that a list agrees with itself. */
    ago(at: Date | string, now = Date.now()): string {
      const since = Math.max(0, now - new Date(at).getTime());
      if (since < minute) return relative.format(-Math.round(since / 1000), "second");
      if (since < hour) return relative.format(-Math.floor(since / minute), "minute");
      if (since < day) return relative.format(-Math.floor(since / hour), "hour");
      return relative.format(-Math.floor(since / day), "day");
    },
    /** Of a video, in seconds: 0:12 */
    duration(seconds: number): string {
      const s = Math.round(seconds);
      return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
    },
    /** To a tenth of a second: 2.5 秒 */
    seconds: (n: number) => precise.format(n).replace(/(?<=\d)(?=\p{Script=Han})/u, " "),
    /** 2.5 */
    decimal: (n: number) => tenth.format(n),
    /** How long something takes: 8 秒, 12 分钟. */
    span(seconds: number): string {
      if (seconds < 90) return second.format(Math.max(1, Math.round(seconds)));
      return seconds < 90 * 60 ? minutes.format(Math.round(seconds / 60)) : hours.format(seconds / 3600);
    },
    /** 1.2 MB */
    bytes(n: number): string {
      const size = n < 1000 ? 0 : Math.min(sizes.length - 1, Math.floor(Math.log10(n) / 3));
      return `${tenth.format(n / 1000 ** size)} ${sizes[size] ?? ""}`;
    },
    money: (amount: number) => `¥${yuan.format(amount)}`,
    number: (n: number) => whole.format(n),
    /** 1.2万 */
    compact: (n: number) => compact.format(n),
    /** 0.22 → 22% */
    percent: (share: number) => part.format(share),
  };
}

/** Times and numbers as the reader's language writes them. */
export function useFormat(): ReturnType<typeof formats> {
  const { i18n } = useTranslation();
  return useMemo(() => formats(i18n.language), [i18n.language]);
}
