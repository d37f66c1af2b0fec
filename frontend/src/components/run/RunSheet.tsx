import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { Part } from "../material/Part";
import { Notice } from "../ui/Notice";
import { Sheet } from "../ui/Dialog";
import { Skeleton } from "../ui/Skeleton";
import { runQuery } from "../../services/runs";
import { RunActions, useRunCommand } from "./RunActions";
import { Attempts, Products, RunFacts, Standing } from "./RunFacts";
import { RunState } from "./RunState";
import { Transcript } from "./Transcript";
import { useRunWords } from "./useRunWords";

type Props = {
  agent: string;
  id: string;
  /** The name of who asked, which only the list knows. */
  person: string;
  writable: boolean;
  onOpen: (run: string) => void;
  onClose: () => void;
};

/** One run beside the page: how it stands, what it made, and everything that happened in it. */
export function RunSheet({ agent, id, person, writable, onOpen, onClose }: Props) {
  const { t } = useTranslation("tasks");
  const words = useRunWords();
  const detail = useQuery(runQuery(agent, id));
  const command = useRunCommand(agent, onOpen);
  const run = detail.data && { ...detail.data, person };
  return (
    <Sheet
      open
      onClose={onClose}
      title={run ? words.name(run) : detail.error ? t("detail.gone") : t("title")}
      footer={run && writable ? <RunActions run={run} busy={command.busy} onCommand={command.send} /> : undefined}
    >
      <div className="grid gap-4">
        {command.error && <Notice error={command.error} onRetry={command.again} />}
        {detail.error && <Notice error={detail.error} onRetry={() => { void detail.refetch(); }} kept={run !== undefined} />}
        {detail.isPending && <Skeleton rows={4} height={72} />}
        {run && (
          <>
            <div className="grid gap-2">
              <RunState state={run.state} />
              <Standing run={run} />
            </div>
            <RunFacts agent={agent} run={run} />
            <Part title={t("detail.products")}><Products agent={agent} run={run} /></Part>
            <Part title={t("detail.attempts")}><Attempts run={run} /></Part>
            <Part title={t("detail.transcript")}><Transcript steps={run.steps} attempts={run.attempts.length} /></Part>
          </>
        )}
      </div>
    </Sheet>
  );
}
