import { ulid } from "./api";

// What people look at and pass by, reported to the server in small batches. A
// browser that closes still sends what it holds (sendBeacon); each object counts
// once a session for each type, which outlives a reload.

export type BehaviorType = "material_viewed" | "material_ignored" | "delivery_downloaded";

type Observation = { id: string; type: BehaviorType; object: { type: string; id: string }; at: string };

/** What the server takes in one beacon. */
export const batchSize = 100;
/** How often what was gathered is sent, in ms. */
export const sendEvery = 5_000;

export type Reporter = {
  /** Notes an observation; false if this session has told it before. For holdMs it can be taken back, unless the page goes. */
  note: (type: BehaviorType, object: { type: string; id: string }, holdMs?: number) => boolean;
  /** Takes back what was not sent yet; false if it is too late. */
  takeBack: (type: BehaviorType, id: string) => boolean;
  /** Sends what is due, or all of it. What the browser does not accept waits for the next time. */
  flush: (all?: boolean) => void;
  /** Sends from now on, every few seconds and when the page goes; returns how to stop. */
  start: () => () => void;
};

type Ways = {
  send?: (url: string, body: Blob) => boolean;
  store?: Storage;
  /** Called for each observation once it cannot be taken back any more. */
  sent?: (type: BehaviorType, id: string) => void;
};

type Waiting = Observation & { due: number };

const send = (url: string, body: Blob) => navigator.sendBeacon(url, body);

/** One reporter an agent and page. */
export function makeReporter(agent: string, ways: Ways = {}): Reporter {
  const url = `/api/agents/${encodeURIComponent(agent)}/behavior`;
  const store = ways.store ?? sessionStorage;
  const place = `sozai.observed.${agent}`;
  const told = new Set(stored(store, place));
  const waiting = new Map<string, Waiting>();
  const keyOf = (type: BehaviorType, id: string) => `${type} ${id}`;

  const flush = (all = true) => {
    const due = [...waiting].filter(([, o]) => all || o.due <= Date.now());
    for (let from = 0; from < due.length; from += batchSize) {
      const batch = due.slice(from, from + batchSize);
      const observations = batch.map(([, { id, type, object, at }]): Observation => ({ id, type, object, at }));
      // sendBeacon can set no header, so the beacon's own id makes a repeat harmless.
      const body = JSON.stringify({ beacon: ulid(), observations });
      if (!(ways.send ?? send)(url, new Blob([body], { type: "text/plain" }))) return;
      for (const [key, { type, object }] of batch) {
        waiting.delete(key);
        told.add(key);
        ways.sent?.(type, object.id);
      }
      store.setItem(place, JSON.stringify([...told]));
    }
  };

  return {
    note: (type, object, holdMs = 0) => {
      const key = keyOf(type, object.id);
      if (told.has(key) || waiting.has(key)) return false;
      waiting.set(key, { id: ulid(), type, object, at: new Date().toISOString(), due: Date.now() + holdMs });
      return true;
    },
    takeBack: (type, id) => waiting.delete(keyOf(type, id)),
    flush,
    start: () => {
      const going = () => { flush(); };
      const hidden = () => {
        if (document.visibilityState === "hidden") flush();
      };
      const timer = setInterval(() => { flush(false); }, sendEvery);
      window.addEventListener("pagehide", going);
      document.addEventListener("visibilitychange", hidden); // phones close pages without pagehide
      return () => {
        clearInterval(timer);
        window.removeEventListener("pagehide", going);
        document.removeEventListener("visibilitychange", hidden);
        flush();
      };
    },
  };
}

function stored(store: Storage, place: string): string[] {
  try {
    const list: unknown = JSON.parse(store.getItem(place) ?? "[]");
    return Array.isArray(list) ? list.filter((x) => typeof x === "string") : [];
  } catch {
    return []; // somebody else wrote there
  }
}
