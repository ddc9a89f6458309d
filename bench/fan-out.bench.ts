import { Pool } from "undici";
import { WebSocket } from "ws";
import { initCrypto } from "#core/signing.js";
import type { Bench } from "./bench.js";
import { type BenchServer, forkBenchServer } from "./bench-server.js";
import { effort } from "./effort.js";
import { OrderSource, post } from "./order-source.js";
import { interleaved } from "./rounds.js";

const ROUNDS = effort(5, 1);
const SUBSCRIBERS = effort(200, 5);
const ORDERS_A_ROUND = effort(500, 20);

/**
 * One writer's orders, each a book update to every subscriber. Measured by the server's CPU time
 * alone, without the readers'.
 */
export const bench: Bench = {
  about:
    "book updates delivered to 200 subscribers while one writer places orders, against a bare fastify and ws server",
  async run() {
    await initCrypto();
    const servers = await Promise.all([
      forkBenchServer("fan-out-server.ts", ["exchange"]),
      forkBenchServer("fan-out-server.ts", ["bare"]),
    ]);
    const [ours, bare] = await Promise.all(servers.map(Crowd.gather));
    if (ours === undefined || bare === undefined)
      throw new RangeError("two servers were asked for");
    try {
      const orders = await OrderSource.open(ours.pool);
      const bodies = () => orders.take(ORDERS_A_ROUND);
      return {
        ...(await interleaved({
          rounds: ROUNDS,
          ours: () => ours.write(bodies()),
          reference: () => bare.write(bodies()),
        })),
        unit: "messages per second of the server's CPU",
        referenceIs:
          "a bare fastify server that echoes the body and sends a message of the same size to every ws subscriber",
        details: { subscribers: SUBSCRIBERS, "orders a round": ORDERS_A_ROUND },
      };
    } finally {
      await ours.disperse();
      await bare.disperse();
    }
  },
};

/** A server with its subscribers and the connection of its writer. */
class Crowd {
  readonly pool: Pool;
  readonly #sockets: WebSocket[] = [];
  #received = 0;
  #wanted = 0;
  #whenAll = () => {};

  private constructor(
    readonly server: BenchServer,
    readonly port: number,
  ) {
    this.pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1 });
  }

  static async gather(this: void, server: BenchServer): Promise<Crowd> {
    const crowd = new Crowd(server, server.ports[0] as number);
    for (let place = 0; place < SUBSCRIBERS; place += 1) {
      const socket = new WebSocket(`ws://127.0.0.1:${crowd.port}/v1/single/btc0usdc@orderbook`, {
        perMessageDeflate: false,
      });
      await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
      socket.on("message", (data) => {
        if (String(data).includes('"update"')) crowd.#count();
      });
      crowd.#sockets.push(socket);
    }
    return crowd;
  }

  /**
   * Places every order, one after the other, and waits for the last message of the last reader.
   * @returns messages per CPU second
   */
  async write(bodies: readonly string[]): Promise<number> {
    this.#received = 0;
    this.#wanted = bodies.length * SUBSCRIBERS;
    const everything = new Promise<void>((resolve) => {
      this.#whenAll = resolve;
    });
    const before = await this.server.cpuMs();
    for (const body of bodies) {
      await post(this.pool, "/v1/order", body);
    }
    await everything;
    return (this.#wanted * 1000) / ((await this.server.cpuMs()) - before);
  }

  async disperse(): Promise<void> {
    for (const socket of this.#sockets) socket.terminate();
    await this.pool.close();
    this.server.end();
  }

  #count(): void {
    this.#received += 1;
    if (this.#received === this.#wanted) this.#whenAll();
  }
}
