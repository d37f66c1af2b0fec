import { createContext, useContext } from "react";

/** Set around a room as it was: its cards are records, and nobody decides on them there. */
export const PastContext = createContext(false);

export const usePast = (): boolean => useContext(PastContext);
