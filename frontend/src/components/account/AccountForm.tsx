import { type SyntheticEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import type { Credentials } from "../../services/session";
import { Button } from "../ui/Button";
import { Notice } from "../ui/Notice";
import { Field } from "../ui/Field";

/** The server asks for at least this many characters of a new password. */
const shortest = 10;

type Props = {
  /** A new account chooses its password, so it is typed twice and has a minimum. */
  fresh: boolean;
  submit: string;
  busyLabel: string;
  busy: boolean;
  error: unknown;
  onSubmit: (credentials: Credentials) => void;
};

type FieldError = "name_missing" | "password_missing" | "password_short" | "password_differs";
type Errors = { name?: FieldError; password?: FieldError; again?: FieldError };

function check(name: string, password: string, again: string, fresh: boolean): Errors {
  const errors: Errors = {};
  if (name === "") errors.name = "name_missing";
  if (password === "") errors.password = "password_missing";
  else if (fresh && Array.from(password).length < shortest) errors.password = "password_short";
  else if (fresh && password !== again) errors.again = "password_differs";
  return errors;
}

/** Name and password, for signing in and for a new account. */
export function AccountForm({ fresh, submit, busyLabel, busy, error, onSubmit }: Props) {
  const { t } = useTranslation();
  const form = useRef<HTMLFormElement>(null);
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const [shown, setShown] = useState(false);
  const [errors, setErrors] = useState<Errors>({});

  const send = (event: SyntheticEvent) => {
    event.preventDefault();
    if (busy) return;
    const found = check(name.trim(), password, again, fresh);
    setErrors(found);
    const first = (["name", "password", "again"] as const).find((field) => found[field]);
    if (first) form.current?.querySelector<HTMLInputElement>(`[name=${first}]`)?.focus();
    else onSubmit({ name: name.trim(), password });
  };
  const told = (key: FieldError | undefined) => (key ? { error: t(`field.${key}`) } : {});
  const kind = shown ? "text" : "password";
  const secret = fresh ? "new-password" : "current-password";

  return (
    <form ref={form} noValidate onSubmit={send} className="grid gap-4">
      <Field
        label={t("account.name")}
        name="name"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={80}
        value={name}
        onChange={(e) => { setName(e.target.value); }}
        {...told(errors.name)}
      />
      <Field
        label={t("account.password")}
        name="password"
        type={kind}
        autoComplete={secret}
        value={password}
        onChange={(e) => { setPassword(e.target.value); }}
        {...(fresh ? { hint: t("account.hint") } : {})}
        {...told(errors.password)}
      />
      {fresh && (
        <Field
          label={t("account.again")}
          name="again"
          type={kind}
          autoComplete={secret}
          value={again}
          onChange={(e) => { setAgain(e.target.value); }}
          {...told(errors.again)}
        />
      )}
      <label className="flex min-h-10 items-center gap-2 self-start text-muted">
        <input type="checkbox" className="size-4 accent-ink" checked={shown} onChange={(e) => { setShown(e.target.checked); }} />
        {t("account.show")}
      </label>
      {error !== null && <Notice error={error} />}
      <Button type="submit" look="primary" aria-disabled={busy} className={busy ? "opacity-60" : ""}>
        {busy ? busyLabel : submit}
      </Button>
    </form>
  );
}
