import { queryOptions } from "@tanstack/react-query";

import { api } from "./api";
import { genesKey } from "./genes";
import type { components } from "./schema";
import { read } from "./wrote";

type Wire = components["schemas"];

/** The rates, named after numerator and denominator. */
export const rates = ["adopted_of_shown", "ignored_of_shown", "liked_of_shown", "disliked_of_shown", "filmed_of_boards", "downloaded_of_films"] as const;
export type RateName = (typeof rates)[number];

export const verdicts = ["not_enough", "better", "worse", "no_difference"] as const;
export type Verdict = (typeof verdicts)[number];

/** n of `of`, with the bounds of its 95 % interval. No verdict on the baseline's own line. */
export type Rate = { value: number; low: number; high: number; n: number; of: number; verdict: Verdict | null };

export type Score = { version: number; rates: Partial<Record<RateName, Rate>> };

/** baseline 0: nothing to compare with. Below minSample a rate says nothing. */
export type Scores = { versions: Score[]; baseline: number; minSample: number };

function rateOf(r: Wire["ProjectionsRate"]): Rate {
  return { value: r.value, low: r.low, high: r.high, n: r.n, of: r.of, verdict: verdicts.find((v) => v === r.verdict) ?? null };
}

function scoreOf(v: Wire["ProjectionsVersionScore"]): Score {
  const known: Score["rates"] = {};
  for (const name of rates) {
    const rate = v.rates?.find((r) => r.name === name);
    if (rate) known[name] = rateOf(rate);
  }
  return { version: v.version, rates: known };
}

/** What each version led to. A new version changes it, so it lies below the gene's key. */
export const scoresQuery = (agent: string) =>
  queryOptions({
    queryKey: [...genesKey(agent), "scores"],
    queryFn: async ({ signal, client }): Promise<Scores> => {
      const s = await api<Wire["ProjectionsScores"]>(read(client, agent, "/performance"), { signal });
      return { versions: (s.versions ?? []).map(scoreOf), baseline: s.baseline, minSample: s.min_sample };
    },
    staleTime: 10_000,
  });
