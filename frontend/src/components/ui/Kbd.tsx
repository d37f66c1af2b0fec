/** A key, as it is printed on it. */
export function Kbd({ children, onDark = false }: { children: string; onDark?: boolean }) {
  const look = onDark ? "border-current/40" : "border-line bg-canvas text-muted";
  return <kbd className={`inline-grid min-w-5 place-items-center rounded border px-1 font-mono text-[11px] leading-[18px] ${look}`}>{children}</kbd>;
}
