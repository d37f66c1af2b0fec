import type { Frame } from "./wire";

/** How the room is connected, in words that people are shown. */
export type Connection =
  | { state: "connecting" }
  | { state: "live" }
  /** The connection is there and what was missed is being read. */
  | { state: "catching_up"; behind: number }
  /** Lost; tried again at a time (milliseconds of the clock). */
  | { state: "reconnecting"; at: number; tries: number }
  | { state: "signed_out" }
  | { state: "not_allowed" }
  /** The server does not understand us: the page is of another version. */
  | { state: "outdated" };

/** Why a connection that never said hello failed, as an HTTP request finds out. */
export type Verdict = "try_again" | "signed_out" | "not_allowed";

/** What a connection needs of its surroundings, so that a test can stand in for them. */
export type Surroundings = {
  open: () => Pick<WebSocket, "send" | "close"> & Pick<WebSocket, "onopen" | "onmessage" | "onclose">;
  now: () => number;
  /** Calls back later; the result takes it back. */
  later: (call: () => void, ms: number) => () => void;
  random: () => number;
  /** Asks over HTTP whether the room may be seen. */
  verdict: () => Promise<Verdict>;
};

export type Listener = {
  /** The sequence after which everything is wanted. */
  after: () => number;
  frames: (frames: Frame[]) => void;
  /** Anything about the connection changed. */
  changed: (connection: Connection) => void;
};

const closings: Record<number, Connection> = {
  4400: { state: "outdated" },
  4401: { state: "signed_out" },
  4403: { state: "not_allowed" },
};

const firstWait = 500;
const longestWait = 15_000;
/** A server that accepts and says nothing is as good as none. */
const helloWithin = 15_000;

/**
 * One WebSocket to a room, kept up: it comes back with growing pauses and the last
 * sequence, unless the server said that it must not.
 */
export class RoomConnection {
  private socket: ReturnType<Surroundings["open"]> | null = null;
  private greeted = false;
  private tries = 0;
  private cancel: () => void = () => undefined;
  private current: Connection = { state: "connecting" };
  private over = false;

  constructor(
    private readonly world: Surroundings,
    private readonly listener: Listener,
  ) {}

  get state(): Connection {
    return this.current;
  }

  start(): void {
    this.over = false;
    this.connect();
  }

  /** Ends for good; the server is told. */
  stop(): void {
    this.over = true;
    this.cancel();
    this.drop();
  }

  /** Tries now instead of later: a person asked, or the network came back. */
  retry(): void {
    if (this.over || this.current.state === "live" || this.current.state === "catching_up") return;
    this.cancel();
    this.drop();
    this.tries = 0;
    this.connect();
  }

  /** Gives up a socket that may be dead without knowing, and connects anew. */
  suspect(): void {
    if (this.over || this.socket === null) return;
    this.drop();
    this.lost();
  }

  /** Tells the others whether this person is typing; nothing when not connected. */
  typing(on: boolean): void {
    if (this.greeted) this.socket?.send(JSON.stringify({ type: "typing", on }));
  }

  /** What was missed is in now. */
  caughtUp(): void {
    if (this.current.state === "catching_up") this.become({ state: "live" });
  }

  private connect(): void {
    if (this.current.state !== "reconnecting") this.become({ state: "connecting" });
    this.greeted = false;
    const socket = this.world.open();
    this.socket = socket;
    this.cancel = this.world.later(() => {
      this.suspect();
    }, helloWithin);
    socket.onopen = () => {
      socket.send(JSON.stringify({ type: "hello", after: this.listener.after() }));
    };
    socket.onmessage = (event: MessageEvent<unknown>) => {
      if (this.socket === socket && typeof event.data === "string") this.hear(JSON.parse(event.data) as Frame[]);
    };
    socket.onclose = (event: CloseEvent) => {
      if (this.socket !== socket) return;
      this.socket = null;
      this.cancel();
      const closing = closings[event.code] ?? (event.code >= 4400 && event.code < 4500 ? { state: "outdated" as const } : null);
      if (closing) this.become(closing);
      else if (this.greeted) this.lost();
      else this.ask();
    };
  }

  private hear(frames: Frame[]): void {
    const hello = frames.find((f) => f.type === "hello");
    if (hello) {
      this.cancel();
      this.greeted = true;
      this.tries = 0;
      this.become({ state: "catching_up", behind: Math.max(0, hello.seq - this.listener.after()) });
    }
    this.listener.frames(frames);
  }

  // A refused upgrade tells a page nothing, so HTTP is asked.
  private ask(): void {
    this.world.verdict().then(
      (verdict) => {
        if (this.over || this.socket !== null) return;
        if (verdict === "try_again") this.lost();
        else this.become({ state: verdict });
      },
      () => {
        if (!this.over && this.socket === null) this.lost();
      },
    );
  }

  private lost(): void {
    this.cancel();
    const wait = Math.min(longestWait, firstWait * 2 ** this.tries) * (0.5 + this.world.random() / 2);
    this.tries++;
    this.become({ state: "reconnecting", at: this.world.now() + wait, tries: this.tries });
    this.cancel = this.world.later(() => {
      this.connect();
    }, wait);
  }

  private drop(): void {
    const socket = this.socket;
    this.socket = null;
    this.cancel();
    socket?.close();
  }

  private become(connection: Connection): void {
    this.current = connection;
    this.listener.changed(connection);
  }
}
