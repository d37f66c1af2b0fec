import { type ReactNode, useId } from "react";

type Props = {
  kind: "checkbox" | "radio";
  /** Of the field in its form. */
  field: string;
  title: string;
  /** Read out after the title. */
  children?: ReactNode;
  checked: boolean;
  disabled?: boolean;
  onChange: (checked: boolean) => void;
};

/** One source to choose; all of its row can be pressed. */
export function SourceOption({ kind, field, title, children, checked, disabled = false, onChange }: Props) {
  const id = useId();
  return (
    <div className={`relative grid min-h-10 grid-cols-[auto_minmax(0,1fr)] gap-x-3 px-3 py-2.5 ${disabled ? "" : "hover:bg-sunken"}`}>
      <input
        id={id}
        type={kind}
        name={field}
        className="relative z-10 mt-[3px] size-4 shrink-0 accent-ink"
        checked={checked}
        disabled={disabled}
        {...(children === undefined ? {} : { "aria-describedby": `${id}-why` })}
        onChange={(e) => { onChange(e.target.checked); }}
      />
      <span>
        <label htmlFor={id} className={`font-medium after:absolute after:inset-0 ${disabled ? "text-muted" : "cursor-pointer"}`}>{title}</label>
        {children !== undefined && <span id={`${id}-why`} className="block text-sm text-muted">{children}</span>}
      </span>
    </div>
  );
}
