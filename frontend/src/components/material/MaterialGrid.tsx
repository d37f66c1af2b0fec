import { type ReactNode, useCallback, useEffect, useMemo } from "react";

import type { Material } from "../../services/materials";
import { makeGaze } from "./gaze";
import { MaterialTile } from "./MaterialTile";

type Props = {
  agent: string;
  user: string;
  writable: boolean;
  materials: Material[];
  dismissed: ReadonlySet<string>;
  /** What is chosen for a board. */
  chosen: ReadonlySet<string>;
  /** Something covers the grid, so nobody looks at it. */
  covered: boolean;
  onSeen: (id: string) => void;
  onPassed: (id: string) => void;
  onChoose: (material: Material) => void;
  onDismiss: (id: string) => void;
  onRestore: (id: string) => void;
};

/** The thumbnails. All callbacks must keep their identity, as a long list is drawn once. */
export function MaterialGrid({ agent, user, writable, materials, dismissed, chosen, covered, onSeen, onPassed, onChoose, onDismiss, onRestore }: Props) {
  const gaze = useMemo(() => makeGaze({ seen: onSeen, passed: onPassed }), [onSeen, onPassed]);
  useEffect(() => { gaze.pause(covered); }, [gaze, covered]);
  return (
    <ul className="grid grid-cols-[repeat(auto-fill,minmax(max(172px,14%),1fr))] gap-3.5 max-sm:grid-cols-2 max-sm:gap-2.5">
      {materials.map((material) => (
        <Place key={material.id} id={material.id} watch={gaze.watch}>
          <MaterialTile
            agent={agent}
            material={material}
            {...(writable ? { user } : {})}
            dismissed={dismissed.has(material.id)}
            chosen={chosen.has(material.id)}
            onChoose={onChoose}
            onDismiss={onDismiss}
            onRestore={onRestore}
          />
        </Place>
      ))}
    </ul>
  );
}

function Place({ id, watch, children }: { id: string; watch: (element: Element, id: string) => () => void; children: ReactNode }) {
  const ref = useCallback((element: HTMLLIElement) => watch(element, id), [watch, id]);
  // Tiles far from the view cost nothing but their box.
  return <li ref={ref} className="[content-visibility:auto] [contain-intrinsic-size:auto_360px]">{children}</li>;
}
