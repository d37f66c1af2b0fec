import { useQuery } from "@tanstack/react-query";

import { materialFeedbackQuery, mineOn } from "../../services/feedback";
import type { Material } from "../../services/materials";
import { Reactions } from "./Reactions";
import { useReaction } from "./useReaction";

/** The reader's reaction to one material, in the grid and in its detail. */
export function MaterialReactions({ agent, material, user }: { agent: string; material: Material; user: string }) {
  const mine = useQuery({ ...materialFeedbackQuery(agent), select: (all) => mineOn(all, user, material.id) }).data;
  const { busy, error, change, undo } = useReaction(agent, { type: "material", id: material.id }, mine);
  return <Reactions mine={mine} said={material.comments} busy={busy} error={error} onReact={change} onUndo={undo} />;
}
