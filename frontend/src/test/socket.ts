import type { Surroundings, Verdict } from "../live/connection";
import type { Frame } from "../live/wire";
import { hello, sync } from "./factories/room";

/** A server's end of a socket that a test plays. */
export class FakeSocket {
  onopen: WebSocket["onopen"] = null;
  onmessage: WebSocket["onmessage"] = null;
  onclose: WebSocket["onclose"] = null;
  readonly sent: unknown[] = [];
  closed = false;

  send(data: string | ArrayBufferLike | Blob | ArrayBufferView): void {
    if (typeof data === "string") this.sent.push(JSON.parse(data));
  }

  close(): void {
    this.closed = true;
  }

  accept(): void {
    this.onopen?.call(this.self, new Event("open"));
  }

  /** Several frames are one message, as the server joins them. */
  say(...frames: Frame[]): void {
    this.onmessage?.call(this.self, new MessageEvent("message", { data: JSON.stringify(frames) }));
  }

  greet(seq = 41): void {
    this.accept();
    this.say(hello(seq), sync(seq));
  }

  shut(code: number): void {
    this.onclose?.call(this.self, new CloseEvent("close", { code }));
  }

  // Handlers are arrow functions; whom they are called on does not matter.
  private get self(): WebSocket {
    return Object.create(WebSocket.prototype) as WebSocket;
  }
}

/** A network and a clock in a test's hand. Pauses are their longest. */
export class FakeWorld implements Surroundings {
  readonly sockets: FakeSocket[] = [];
  answer: Verdict = "try_again";
  private time = 1_000_000;
  private timers: { at: number; call: () => void }[] = [];

  get last(): FakeSocket {
    const socket = this.sockets.at(-1);
    if (!socket) throw new Error("no socket was opened");
    return socket;
  }

  readonly open = (): FakeSocket => {
    const socket = new FakeSocket();
    this.sockets.push(socket);
    return socket;
  };

  readonly now = (): number => this.time;

  readonly later = (call: () => void, ms: number): (() => void) => {
    const timer = { at: this.time + ms, call };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((t) => t !== timer);
    };
  };

  readonly random = (): number => 1;

  readonly verdict = (): Promise<Verdict> => Promise.resolve(this.answer);

  /** Lets time pass; timers that come due run once, in their order. */
  pass(ms: number): void {
    this.time += ms;
    const due = this.timers.filter((t) => t.at <= this.time).sort((a, b) => a.at - b.at);
    this.timers = this.timers.filter((t) => t.at > this.time);
    for (const timer of due) timer.call();
  }

  /** Lets promises that are settled be heard. */
  async settled(): Promise<void> {
    for (let i = 0; i < 8; i++) await Promise.resolve();
  }
}
