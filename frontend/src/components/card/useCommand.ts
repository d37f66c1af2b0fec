import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";

import { ulid } from "../../services/api";

/**
 * A command of this page. Trying the same thing again after a failure sends the
 * same key, so that it happens once however often it is tried; anything else is
 * a new command.
 */
export function useCommand<Input, Answer>(run: (input: Input, key: string) => Promise<Answer>, after?: (answer: Answer) => void) {
  const sent = useRef<{ input: string; key: string }>(null);
  return useMutation<Answer, Error, Input>({
    mutationFn: (input) => {
      const same = JSON.stringify(input);
      if (sent.current?.input !== same) sent.current = { input: same, key: ulid() };
      return run(input, sent.current.key);
    },
    onSuccess: (answer) => {
      sent.current = null;
      after?.(answer);
    },
  });
}
