import { Pool } from "undici";
import { initCrypto } from "#core/signing.js";
import type { Bench } from "./bench.js";
import { forkBenchServer } from "./bench-server.js";
import { effort } from "./effort.js";
import { OrderSource, rateOf } from "./order-source.js";
import { interleaved } from "./rounds.js";

const ROUNDS = effort(5, 1);
const ORDERS_A_ROUND = effort(3000, 100);
const CONNECTIONS = 32;

/**
 * Presigned resting orders, sent over loopback to the exchange, against the same bodies sent to an
 * echo.
 */
export const bench: Bench = {
  about:
    "orders accepted over loopback with both signatures verified, against a bare fastify echo of the same body",
  floor: 0.12,
  async run() {
    const backends = await initCrypto();
    const servers = await forkBenchServer("exchange-server.ts", ["1"]);
    const [exchange, echo] = servers.ports.map(
      (port) => new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS, pipelining: 1 }),
    ) as [Pool, Pool];
    try {
      const orders = await OrderSource.open(exchange);
      const measured = await interleaved({
        rounds: ROUNDS,
        ours: () => rateOf(exchange, orders.take(ORDERS_A_ROUND), CONNECTIONS, '"status":"NEW"'),
        reference: () => rateOf(echo, orders.take(ORDERS_A_ROUND), CONNECTIONS, "orderSignature="),
      });
      return {
        ...measured,
        unit: "orders/s",
        referenceIs: `a bare fastify echo of the same body (ours: keccak ${backends.keccak}, curve ${backends.signing})`,
        details: { "connections, each with one request under way": CONNECTIONS },
      };
    } finally {
      await exchange.close();
      await echo.close();
      servers.end();
    }
  },
};
