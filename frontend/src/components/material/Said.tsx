import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { Notice } from "../ui/Notice";
import { Skeleton } from "../ui/Skeleton";
import { ulid } from "../../services/api";
import { type Feedback, feedbackKey, objectFeedbackQuery, type ObjectRef, withdraw } from "../../services/feedback";
import { FeedbackList } from "./FeedbackList";
import { Part } from "./Part";

type Props = {
  agent: string;
  object: ObjectRef;
  user: string;
  writable: boolean;
  of?: "dialog" | "page";
  /** Which part of the object somebody spoke of, if it has parts. */
  place?: (feedback: Feedback) => ReactNode;
};

/** What everybody said about an object. */
export function Said({ agent, object, user, writable, of = "dialog", place }: Props) {
  const { t } = useTranslation("materials");
  const queries = useQueryClient();
  const said = useQuery(objectFeedbackQuery(agent, object));
  const undo = useMutation({
    mutationFn: ({ feedback, key }: { feedback: string; key: string }) => withdraw(queries, agent, feedback, key),
    onSettled: () => queries.invalidateQueries({ queryKey: feedbackKey(agent) }),
  });
  return (
    <Part of={of} title={t("detail.feedback")}>
      {said.error && <Notice error={said.error} onRetry={() => { void said.refetch(); }} kept={said.data !== undefined} />}
      {undo.error && <Notice error={undo.error} />}
      {said.isPending && <Skeleton rows={1} height={40} />}
      {said.data && (
        <FeedbackList items={said.data} user={user} busy={undo.isPending} place={place} onWithdraw={writable ? (f) => { undo.mutate({ feedback: f.id, key: ulid() }); } : undefined} />
      )}
    </Part>
  );
}
