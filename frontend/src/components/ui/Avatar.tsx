// White letters stand out from each of these (AA), in both themes.
const grounds = ["#7a6244", "#3f6670", "#6a5476", "#4f6a45", "#8a4f4a", "#44608a", "#6b6348", "#5a5a78"];

function groundOf(name: string): string {
  let sum = 0;
  for (const c of name) sum = (sum * 31 + (c.codePointAt(0) ?? 0)) % 9973;
  return grounds[sum % grounds.length] ?? "#5a5a78";
}

/** A person's first letter on a colour of their own. The name stands beside it or is its label. */
export function Avatar({ name, label, className = "" }: { name: string; label?: string; className?: string }) {
  const letter = Array.from(name.trim())[0]?.toUpperCase() ?? "?";
  return (
    <span
      {...(label === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": label })}
      className={`inline-grid size-6 shrink-0 select-none place-items-center rounded-full text-[11px] font-semibold leading-none text-white ${className}`}
      style={{ background: groundOf(name) }}
    >
      {letter}
    </span>
  );
}
