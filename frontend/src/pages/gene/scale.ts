import type { Rate, RateName, Scores } from "../../services/performance";

/** One scale for all versions: from 0 to the next tenth above the highest interval that is drawn. */
export function topOf(scores: Scores, metric: RateName): number {
  const highs = scores.versions.map((v) => v.rates[metric]).filter((rate) => rate !== undefined && isEnough(rate, scores)).map((rate) => rate?.high ?? 0);
  return Math.min(1, Math.max(0.1, Math.ceil(Math.max(0, ...highs) * 10 - 1e-9) / 10));
}

/** Whether a rate says anything: it has the smallest sample that counts. */
export const isEnough = (rate: Rate, scores: Scores) => rate.of >= scores.minSample;
