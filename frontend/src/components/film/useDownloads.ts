import { useEffect, useMemo } from "react";

import { makeReporter } from "../../services/behavior";

/** Tells the server which films were downloaded. */
export function useDownloads(agent: string): (film: string) => void {
  const reporter = useMemo(() => makeReporter(agent), [agent]);
  useEffect(() => reporter.start(), [reporter]);
  return (film) => {
    reporter.note("delivery_downloaded", { type: "film", id: film });
    reporter.flush();
  };
}
