// A wire between a browser and the server that can be cut, as a laptop's lid does:
// connections end without a word and new ones are refused.
import { connect, createServer, type Server, type Socket } from "node:net";

import { freePort } from "./server";

export class Wire {
  private readonly sockets = new Set<Socket>();
  private server: Server | null = null;

  private constructor(
    readonly port: number,
    private readonly to: number,
  ) {}

  static async to(port: number): Promise<Wire> {
    const wire = new Wire(await freePort(), port);
    await wire.mend();
    return wire;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async mend(): Promise<void> {
    const server = createServer((from) => {
      const onward = connect(this.to, "127.0.0.1");
      for (const [a, b] of [[from, onward], [onward, from]] as const) {
        this.sockets.add(a);
        a.on("error", () => b.destroy());
        a.on("close", () => {
          this.sockets.delete(a);
          b.destroy();
        });
        a.pipe(b);
      }
    });
    this.server = server;
    await new Promise<void>((resolve) => server.listen(this.port, "127.0.0.1", resolve));
  }

  cut(): void {
    this.server?.close();
    this.server = null;
    for (const socket of this.sockets) socket.destroy();
  }
}
