import { useNavigate, useParams } from "@tanstack/react-router";
import { createContext, lazy, type ReactNode, Suspense, useContext, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";

import { isTyping, type Move, wishOf } from "./keys";

const Palette = lazy(async () => ({ default: (await import("./Palette")).Palette }));
const Help = lazy(async () => ({ default: (await import("./Help")).Help }));

/** How long a g waits for its second letter, in milliseconds. */
const patience = 1200;

type Opened = "palette" | "help" | null;
type Call = () => void;

const OpenContext = createContext<{ open: (what: Opened) => void; onRoom: (call: Call) => Call }>({ open: () => undefined, onRoom: () => () => undefined });

/** Opens the palette or the list of keys. */
export function useOpen(): (what: Opened) => void {
  return useContext(OpenContext).open;
}

/** What moving to the room means where it is no page of its own. */
export function useRoomMove(call: Call): void {
  const { onRoom } = useContext(OpenContext);
  const latest = useEffectEvent(call);
  useEffect(() => onRoom(() => { latest(); }), [onRoom]);
}

/** The frame's keys, and what they open. */
export function Shortcuts({ children }: { children: ReactNode }) {
  const [opened, setOpened] = useState<Opened>(null);
  const armed = useRef(0);
  const navigate = useNavigate();
  const { agent } = useParams({ strict: false });

  const toRoom = useRef<Call | null>(null);

  const move = (to: Move) => {
    if (agent === undefined) return;
    if (to === "room" && toRoom.current) toRoom.current();
    else void navigate({ to: `/a/$agent/${to}`, params: { agent } });
  };
  const pressed = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented) return;
    const wish = wishOf(event, Date.now() - armed.current < patience, isTyping(event.target));
    armed.current = wish === "armed" ? Date.now() : 0;
    if (wish === null || wish === "armed") return;
    // A dialog keeps its keys, but the palette may be closed the way it was opened.
    if (opened === null && document.querySelector("[role=dialog]") !== null) return;
    event.preventDefault();
    if (wish === "palette" || wish === "help") setOpened(opened === wish ? null : wish);
    else if (opened === null) move(wish);
  });
  useEffect(() => {
    document.addEventListener("keydown", pressed);
    return () => { document.removeEventListener("keydown", pressed); };
  }, []);

  const close = () => { setOpened(null); };
  const context = useMemo(
    () => ({
      open: setOpened,
      onRoom: (call: Call) => {
        toRoom.current = call;
        return () => { toRoom.current = null; };
      },
    }),
    [],
  );
  return (
    <OpenContext value={context}>
      {children}
      <Suspense>
        {opened === "palette" && <Palette agent={agent} onClose={close} />}
        {opened === "help" && <Help onClose={close} />}
      </Suspense>
    </OpenContext>
  );
}
