// The real program on a data folder and a port of its own, across kills.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";

import { until } from "./checks";

const startDeadline = 60_000;

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** A command under way. */
export class Command {
  private output = "";
  private readonly ended: Promise<unknown>;

  constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data: Buffer) => { this.output += data.toString(); });
    this.ended = once(child, "close");
  }

  get running(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Stops it where it is, and lets it go on. */
  pause(): void {
    this.child.kill("SIGSTOP");
  }

  resume(): void {
    this.child.kill("SIGCONT");
  }

  kill(): void {
    this.child.kill("SIGKILL");
  }

  /** What it printed; throws if it failed. */
  async done(): Promise<string> {
    await this.ended;
    if (this.child.exitCode !== 0) throw new Error(`the command ended with ${this.child.exitCode ?? this.child.signalCode ?? "?"}: ${this.output}`);
    return this.output;
  }
}

export class Server {
  /** The one-time link of a first start. */
  link = "";
  private child: ChildProcess | null = null;
  private output: string[] = [];

  private constructor(
    private readonly binary: string,
    private readonly data: string,
    readonly port: number,
    private readonly args: string[],
  ) {}

  static async make(binary: string, data: string, ...args: string[]): Promise<Server> {
    return new Server(binary, data, await freePort(), args);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Runs the program and waits until it says that it is ready. */
  async start(): Promise<void> {
    const child = spawn(this.binary, ["serve", "--data", this.data, "--listen", `127.0.0.1:${this.port}`, ...this.args], {
      // No key: the rehearsal model plays.
      env: { ...process.env, SOZAI_MODEL_KEY: "" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.child = child;
    let ready = false;
    const read = (line: string) => {
      this.output.push(line);
      this.link = /^\s+(http\S+\/link\/\S+)$/.exec(line)?.[1] ?? this.link;
      ready ||= line.startsWith("Sozai is ready at ");
    };
    createInterface(child.stdout).on("line", read);
    createInterface(child.stderr).on("line", read);
    await until("the server is ready", () => {
      if (child.exitCode !== null) throw new Error(this.printed());
      return ready;
    }, startDeadline);
  }

  /** Runs another command of the program on the same data, beside the server. */
  command(...args: string[]): Command {
    return new Command(spawn(this.binary, [...args, "--data", this.data], { stdio: ["ignore", "pipe", "pipe"] }));
  }

  printed(): string {
    return this.output.slice(-40).join("\n");
  }

  /** SIGKILL: nothing is put in order before the end. */
  async kill(): Promise<void> {
    await this.end("SIGKILL");
  }

  /** As Ctrl-C does. */
  async stop(): Promise<void> {
    await this.end("SIGINT");
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.child;
    this.child = null;
    if (child?.exitCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  }
}
