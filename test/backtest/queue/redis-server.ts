import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { freePort } from "../../support/free-port.js";

/** True if Debian's redis-server is installed. */
export const hasRedis = spawnSync("redis-server", ["--version"]).status === 0;

const READY = "Ready to accept connections";
const TRIES = 5;

/** A real redis-server of a test's own, which keeps nothing on the disk. */
export class RedisServer {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(port: number, child: ChildProcess) {
    this.url = `redis://127.0.0.1:${port}`;
    this.#child = child;
  }

  static async start(folder: string): Promise<RedisServer> {
    for (let tries = 0; tries < TRIES; tries++) {
      const port = await freePort();
      const child = spawn(
        "redis-server",
        ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder],
        {
          stdio: ["ignore", "pipe", "ignore"],
        },
      );
      if (await isReady(child)) return new RedisServer(port, child);
    }
    throw new Error("redis-server takes none of the free ports");
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGKILL");
    await gone;
  }
}

/** False when it ended first: another took the port in between. */
function isReady(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes(READY)) resolve(true);
    });
    child.once("exit", () => resolve(false));
  });
}
