import { ulid } from "../services/api";
import { type Connection, RoomConnection, type Surroundings, type Verdict } from "./connection";
import { emptyRoom, foldFrame, foldNewest, foldOlder, resumeFrom, type RoomState } from "./fold";
import { keepOutbox, loadOutbox, type Outgoing, unanswered, willGoOut } from "./outbox";
import { connectionAfter, unlessOver, verdictOf } from "./refusal";
import { type Frame, type FrameOf, type FrameType, isOf, type Page, type Ref } from "./wire";

/** What a room shows at one moment. */
export type RoomView = RoomState & {
  connection: Connection;
  outbox: Outgoing[];
  /** Why the room's rows could not be read; null when they could. */
  failed: unknown;
  /** Older rows are on their way. */
  loadingOlder: boolean;
};

/** The requests of a room. */
export type RoomCalls = {
  timeline: (before: number) => Promise<Page>;
  say: (key: string, text: string, refs: Ref[]) => Promise<{ message: string; seq: number }>;
  stop: (key: string, turn: string) => Promise<unknown>;
  takeBack: (key: string, message: string) => Promise<unknown>;
};

type FrameListener = (frame: Frame) => void;

/** One agent's room in this tab: the socket, the fold, and what this person sends. */
export class RoomStore {
  private view: RoomView;
  private readonly connection: RoomConnection;
  private readonly watchers = new Set<() => void>();
  private readonly listeners = new Map<FrameType, Set<FrameListener>>();
  private starts = 0;
  private running = false;
  private listens = true;
  private reading: Promise<void> | null = null;
  private again: () => void = () => undefined;

  constructor(
    readonly agent: string,
    private readonly calls: RoomCalls,
    private readonly world: Omit<Surroundings, "verdict">,
  ) {
    this.view = { ...emptyRoom, connection: { state: "connecting" }, outbox: loadOutbox(agent), failed: null, loadingOlder: false };
    this.connection = new RoomConnection(
      { ...world, verdict: () => this.verdict() },
      {
        after: () => resumeFrom(this.view),
        frames: (frames) => { this.hear(frames); },
        changed: (connection) => {
          this.set({ connection });
          if (connection.state === "live") this.resend();
        },
      },
    );
  }

  readonly get = (): RoomView => this.view;

  readonly subscribe = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  /** Calls back for every frame of a type, after it was folded in. */
  on<T extends FrameType>(type: T, call: (frame: FrameOf<T>) => void): () => void {
    const set = this.listeners.get(type) ?? new Set();
    this.listeners.set(type, set);
    const listener: FrameListener = (frame) => {
      if (isOf(type, frame)) call(frame);
    };
    set.add(listener);
    return () => set.delete(listener);
  }

  /** Reads the newest rows, then listens; the result ends it. */
  start(): () => void {
    this.running = true;
    const mine = ++this.starts;
    void this.readNewest().then(() => {
      if (this.running && this.starts === mine && this.view.failed === null) this.connection.start();
    });
    const online = () => {
      this.connection.suspect();
      this.connection.retry();
    };
    const offline = () => {
      this.connection.suspect();
    };
    window.addEventListener("online", online);
    window.addEventListener("offline", offline);
    return () => {
      this.running = false;
      this.again();
      window.removeEventListener("online", online);
      window.removeEventListener("offline", offline);
      this.connection.stop();
    };
  }

  /** Reads the newest rows and does not listen, for a room as it was; the result ends it. */
  look(): () => void {
    this.running = true;
    this.listens = false;
    void this.readNewest();
    return () => {
      this.running = false;
      this.again();
    };
  }

  readonly retry = (): void => {
    if (this.view.failed !== null) {
      void this.readNewest().then(() => {
        if (this.view.failed === null && this.listens) this.connected();
      });
      return;
    }
    this.connection.retry();
  };

  readonly typing = (on: boolean): void => {
    this.connection.typing(on);
  };

  /** Says something; it shows at once and is replaced by its row. */
  readonly send = (text: string, refs: Ref[]): void => {
    const o: Outgoing = { key: ulid(this.world.now()), text, refs, at: new Date(this.world.now()).toISOString(), state: "sending", message: "", error: null };
    this.post([...this.view.outbox, o]);
    this.deliver(o);
  };

  /** Sends a failed message again, with its key: it cannot be said twice. */
  readonly sendAgain = (key: string): void => {
    const o = this.view.outbox.find((one) => one.key === key);
    if (o?.state !== "failed") return;
    this.change(key, { state: "sending", error: null });
    this.deliver(o);
  };

  /** Gives up a failed message and returns it. */
  readonly discard = (key: string): Outgoing | undefined => {
    const o = this.view.outbox.find((one) => one.key === key);
    this.post(this.view.outbox.filter((one) => one.key !== key));
    return o;
  };

  /** Stops the answer that is being written now. Refused when it is over: the log says so by itself. */
  readonly stop = async (): Promise<void> => {
    const turn = this.view.status?.turn;
    if (turn === undefined) return;
    await this.calls.stop(ulid(this.world.now()), turn).catch(unlessOver);
  };

  readonly takeBack = async (message: string): Promise<void> => {
    await this.calls.takeBack(ulid(this.world.now()), message).catch(unlessOver);
  };

  /** Reads the rows before the first; one page at a time. */
  readonly loadOlder = async (): Promise<void> => {
    const first = this.view.rows[0];
    if (!this.view.more || this.view.loadingOlder || this.view.stale !== null || first === undefined) return;
    this.set({ loadingOlder: true });
    try {
      const page = await this.calls.timeline(first.seq);
      // Meanwhile the room may have been read anew from its end.
      if (this.view.rows[0]?.seq === first.seq) this.set(foldOlder(this.view, page));
    } catch {
      // The next scroll asks again.
    } finally {
      this.set({ loadingOlder: false });
    }
  };

  private hear(frames: Frame[]): void {
    let next: RoomState = this.view;
    for (const frame of frames) next = foldFrame(next, frame);
    this.set(next);
    for (const frame of frames) this.listeners.get(frame.type)?.forEach((listener) => { listener(frame); });
    if (this.view.stale !== null) void this.readNewest();
    else if (frames.some((f) => f.type === "sync")) this.connection.caughtUp();
  }

  // One reading at a time; while it fails for a passing reason it is repeated.
  private readNewest(): Promise<void> {
    this.reading ??= this.tryNewest(0).finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  private async tryNewest(tries: number): Promise<void> {
    try {
      const page = await this.calls.timeline(0);
      this.set({ ...foldNewest(this.view, page), failed: null });
      this.connection.caughtUp();
    } catch (error) {
      if (this.view.seq < 0) this.set({ failed: error, connection: connectionAfter(error) });
      if (this.running && verdictOf(error) === "try_again") await this.wait(tries);
    }
  }

  private async wait(tries: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = this.world.later(resolve, Math.min(15_000, 500 * 2 ** tries));
      this.again = () => {
        cancel();
        resolve();
      };
    });
    if (this.running) await this.tryNewest(tries + 1);
  }

  private connected(): void {
    this.connection.stop();
    this.connection.start();
  }

  private async verdict(): Promise<Verdict> {
    try {
      await this.calls.timeline(0);
      return "try_again";
    } catch (error) {
      return verdictOf(error);
    }
  }

  private deliver(o: Outgoing): void {
    this.calls.say(o.key, o.text, o.refs).then(
      ({ message }) => {
        this.change(o.key, { state: "sent", message });
      },
      (error: unknown) => {
        this.change(o.key, { state: "failed", error });
      },
    );
  }

  // What failed only because nobody could be reached goes out when somebody can.
  private resend(): void {
    for (const o of this.view.outbox) {
      if (willGoOut(o)) this.sendAgain(o.key);
    }
  }

  private change(key: string, change: Partial<Outgoing>): void {
    this.post(this.view.outbox.map((o) => (o.key === key ? { ...o, ...change } : o)));
  }

  private post(outbox: Outgoing[]): void {
    this.set({ outbox });
  }

  private set(change: Partial<RoomView>): void {
    const next = { ...this.view, ...change };
    next.outbox = unanswered(next.outbox, next.rows, next.you?.id ?? "");
    if (next.outbox !== this.view.outbox) keepOutbox(this.agent, next.outbox);
    this.view = next;
    this.watchers.forEach((watcher) => { watcher(); });
  }
}
