// Rooms for the walks, made without a browser, one a walk so that none disturbs another.
import type { Account } from "./account";
import { until } from "./checks";
import { profile } from "./clips";
import { product } from "./world";

/** An agent whose first search is over. */
export async function makeAgent(account: Account, name: string, search = profile.search): Promise<string> {
  const { agent } = await account.post<{ agent: string }>(`/api/agents?product=${product}`, { ...profile, name, search, sources: ["fast"] });
  await until(`the first search of ${name} ends`, async () => (await account.runs(agent)).some((r) => r.trigger === "first" && ["done", "failed", "cancelled"].includes(r.state)), 45_000);
  return agent;
}

/** Asked for its gene, the rehearsal butler reads it out: a long one takes seconds, in which things can happen. */
export const recital = "现在的基因规则是什么？念一下检索需求";

export function longSearch(lines: number): string {
  return Array.from({ length: lines }, (_, i) => `第${i + 1}条：末日塔防的素材里，丧尸围城要一眼看到危险`).join("\n");
}

/** What makes the rehearsal butler propose a card. */
export const criticism = "爆炸感不够，节奏太慢，帮我改一下基因";

/** Has the butler propose a card, and finish saying so; the card's id. */
export async function makeCard(account: Account, agent: string, text = criticism): Promise<string> {
  const card = await proposedCard(account, agent, text);
  await until("the butler is done", async () => {
    const rows = await account.rows(agent);
    return rows.filter((r) => r.type === "chat").every((r) => rows.some((turn) => turn.type === "turn" && turn.ref === r.body.turn));
  }, 30_000);
  return card;
}

/** Has the butler propose a card; it may still be speaking. */
export async function proposedCard(account: Account, agent: string, text: string): Promise<string> {
  const before = new Set((await account.cards(agent)).map((c) => c.card));
  await account.post(`/api/agents/${agent}/messages`, { text });
  const card = await until("a card is proposed", async () => (await account.cards(agent)).find((c) => !before.has(c.card) && c.state === "pending"), 30_000);
  return card.card;
}
