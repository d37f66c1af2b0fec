import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { useRunCap } from "../frame/session";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { Menu, MenuItem, Popover } from "../ui/Menu";
import { ulid } from "../../services/api";
import { commandRun, type Run, type RunCommand, runsKey } from "../../services/runs";

/** Commands about one run. A click that failed is sent again with its key. */
export function useRunCommand(agent: string, onStarted: (run: string) => void) {
  const queries = useQueryClient();
  const command = useMutation({
    mutationFn: (c: RunCommand) => commandRun(queries, agent, c),
    onSuccess: async (started) => {
      await queries.invalidateQueries({ queryKey: runsKey(agent) });
      if (started !== "") onStarted(started);
    },
    // Refused because the run has moved on meanwhile: show where it is.
    onError: () => queries.invalidateQueries({ queryKey: runsKey(agent) }),
  });
  return {
    busy: command.isPending,
    error: command.error,
    send: (c: RunCommand) => { command.mutate(c); },
    again: () => { if (command.variables) command.mutate(command.variables); },
  };
}

/** What can be done about a run, given its state. */
export function RunActions({ run, busy, onCommand }: { run: Run; busy: boolean; onCommand: (command: RunCommand) => void }) {
  const { t } = useTranslation("tasks");
  const cap = useRunCap();
  if (run.open) {
    if (run.cancel !== "") return <p role="status" className="mr-auto self-center text-sm text-muted">{t("action.cancel_asked")}</p>;
    return <Cancel busy={busy} onCancel={() => { onCommand({ key: ulid(), do: "cancel", run: run.id }); }} />;
  }
  return (
    <>
      {run.capped && (
        <Button aria-disabled={busy} title={t("action.continue_hint", { cap })} onClick={() => { if (!busy) onCommand({ key: ulid(), do: "continue", run: run.id }); }}>
          <Icon name="plus" />
          {t("action.continue")}
        </Button>
      )}
      <Menu
        align="end"
        trigger={
          <Button aria-disabled={busy}>
            <Icon name="refresh" />
            {busy ? t("action.retrying") : t("action.retry")}
            <Icon name="chevronDown" />
          </Button>
        }
      >
        <p className="px-2.5 pb-0.5 pt-1.5 text-xs text-muted">{t("action.retry_how")}</p>
        {run.version > 0 && (
          <MenuItem disabled={busy} onSelect={() => { onCommand({ key: ulid(), do: "retry", run: run.id, sameGene: true }); }}>
            {t("action.retry_same", { n: run.version })}
          </MenuItem>
        )}
        <MenuItem disabled={busy} onSelect={() => { onCommand({ key: ulid(), do: "retry", run: run.id, sameGene: false }); }}>
          {t("action.retry_current")}
        </MenuItem>
      </Menu>
    </>
  );
}

function Cancel({ busy, onCancel }: { busy: boolean; onCancel: () => void }) {
  const { t } = useTranslation("tasks");
  const [open, setOpen] = useState(false);
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      align="end"
      label={t("action.cancel")}
      trigger={<Button look="danger" aria-disabled={busy}>{busy ? t("action.cancelling") : t("action.cancel")}</Button>}
    >
      <p className="mb-3">{t("action.cancel_sure")}</p>
      <div className="flex justify-end gap-2">
        <Button small onClick={() => { setOpen(false); }}>{t("action.cancel_no")}</Button>
        <Button
          small
          look="danger"
          onClick={() => {
            setOpen(false);
            if (!busy) onCancel();
          }}
        >
          {t("action.cancel_yes")}
        </Button>
      </div>
    </Popover>
  );
}
