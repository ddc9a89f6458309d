import { Pool } from "undici";
import { initCrypto } from "#core/signing.js";
import type { Bench } from "./bench.js";
import { forkBenchServer } from "./bench-server.js";
import { effort } from "./effort.js";
import { OrderSource, rateOf } from "./order-source.js";
import { interleaved } from "./rounds.js";

const ROUNDS = effort(5, 1);
const ACCOUNTS = effort(50, 5);
const MARKETS = effort(20, 3);
const OPEN_ORDERS = effort(2000, 60);
const ORDERS_A_ROUND = effort(2000, 60);
const CONNECTIONS = 32;

/**
 * As `exchange`, with a crowd: every account has orders in every market, and many orders rest
 * before each round.
 */
export const bench: Bench = {
  about:
    "orders accepted over loopback while 2,000 orders of 50 accounts rest in 20 markets, against a bare fastify echo of the same body",
  async run() {
    await initCrypto();
    const servers = await forkBenchServer("exchange-server.ts", [String(MARKETS)]);
    const [exchange, echo] = servers.ports.map(
      (port) => new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS, pipelining: 1 }),
    ) as [Pool, Pool];
    try {
      const orders = await OrderSource.open(exchange, ACCOUNTS);
      const stand = async () => {
        for (const query of orders.cancelAll()) {
          await (
            await exchange.request({ method: "DELETE", path: `/v1/allOpenOrders?${query}` })
          ).body.dump();
        }
        await rateOf(exchange, orders.take(OPEN_ORDERS), CONNECTIONS, '"status":"NEW"');
      };
      const measured = await interleaved({
        rounds: ROUNDS,
        ours: async () => {
          await stand();
          return rateOf(exchange, orders.take(ORDERS_A_ROUND), CONNECTIONS, '"status":"NEW"');
        },
        reference: () => rateOf(echo, orders.take(ORDERS_A_ROUND), CONNECTIONS, "orderSignature="),
      });
      return {
        ...measured,
        unit: "orders/s",
        referenceIs: "a bare fastify echo of the same body",
        details: {
          accounts: ACCOUNTS,
          markets: MARKETS,
          "orders open before a round": OPEN_ORDERS,
        },
      };
    } finally {
      await exchange.close();
      await echo.close();
      servers.end();
    }
  },
};
