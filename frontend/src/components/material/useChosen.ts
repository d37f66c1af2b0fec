import { useCallback, useMemo, useState } from "react";

import type { Material } from "../../services/materials";

/** A request cites at most so many. */
export const mostChosen = 50;

/** The materials that are chosen for a board, in the order of choice. toggle keeps its identity. */
export function useChosen() {
  const [list, setList] = useState<Material[]>([]);
  const toggle = useCallback((material: Material) => {
    setList((old) => {
      if (old.some((m) => m.id === material.id)) return old.filter((m) => m.id !== material.id);
      return old.length < mostChosen ? [...old, material] : old;
    });
  }, []);
  const clear = useCallback(() => { setList([]); }, []);
  const ids = useMemo(() => new Set(list.map((m) => m.id)), [list]);
  return { list, ids, toggle, clear };
}
