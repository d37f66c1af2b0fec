import { type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes, type TextareaHTMLAttributes, useId } from "react";

type Around = { label: string; hint?: string; error?: string };

// 16 px on a phone: a smaller input makes it zoom in.
const box = "block w-full rounded-control border bg-surface px-3 placeholder:text-muted max-sm:text-[16px]";
const line = (error: string | undefined) => (error === undefined ? "border-control-line" : "border-bad");

function Labelled({ id, label, hint, error, children }: Around & { id: string; children: ReactNode }) {
  const note = error ?? hint;
  return (
    <div>
      <label htmlFor={id} className="mb-1 block font-medium">
        {label}
      </label>
      {children}
      {note !== undefined && (
        <p id={`${id}-note`} className={`mt-1 text-sm ${error === undefined ? "text-muted" : "text-bad"}`}>
          {note}
        </p>
      )}
    </div>
  );
}

const described = (id: string, around: Around) => ({
  "aria-invalid": around.error !== undefined,
  ...((around.error ?? around.hint) === undefined ? {} : { "aria-describedby": `${id}-note` }),
});

/** A labelled input; its hint and its error are read out with it. */
export function Field({ label, hint, error, className = "", ...input }: Omit<InputHTMLAttributes<HTMLInputElement>, "id"> & Around) {
  const id = useId();
  const around = { label, ...(hint === undefined ? {} : { hint }), ...(error === undefined ? {} : { error }) };
  return (
    <Labelled id={id} {...around}>
      <input id={id} {...described(id, around)} className={`${box} min-h-10 ${line(error)} ${className}`} {...input} />
    </Labelled>
  );
}

/** The same for text of several lines. */
export function TextField({ label, hint, error, className = "", ...input }: Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "id"> & Around) {
  const id = useId();
  const around = { label, ...(hint === undefined ? {} : { hint }), ...(error === undefined ? {} : { error }) };
  return (
    <Labelled id={id} {...around}>
      <textarea id={id} {...described(id, around)} className={`${box} min-h-20 resize-y py-2 ${line(error)} ${className}`} {...input} />
    </Labelled>
  );
}

/** A choice out of few, in the browser's own way. */
export function Select({ label, className = "", children, ...select }: SelectHTMLAttributes<HTMLSelectElement> & { label: string }) {
  return (
    <select aria-label={label} className={`min-h-8 max-w-full rounded-control border border-line bg-surface px-2 text-sm text-text pointer-coarse:min-h-10 ${className}`} {...select}>
      {children}
    </select>
  );
}
