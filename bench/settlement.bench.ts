import { Pool } from "undici";
import { RunError } from "#core/errors.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { initCrypto } from "#core/signing.js";
import type { Bench } from "./bench.js";
import { forkBenchServer } from "./bench-server.js";
import { effort } from "./effort.js";
import { OrderSource, post, rateOf } from "./order-source.js";
import { interleaved, median } from "./rounds.js";

const ROUNDS = effort(5, 1);
/** As many trades as one page shows, so that the settlement of each is seen. */
const TRADES_A_ROUND = effort(500, 10);
const CONNECTIONS = 32;
const BLOCK_MS = effort(1_000, 50);
const POLL_MS = 20;
/** A settlement that takes longer than this has failed. */
const PATIENCE_MS = 120_000;

const { clock } = createLiveRuntime();
const after = (ms: number): Promise<void> =>
  new Promise((resolve) => void clock.setTimer(ms, resolve));

/**
 * Orders of two accounts that trade with each other, until the last trade is settled: on the chain,
 * and in memory.
 */
export const bench: Bench = {
  about: `trades settled on the chain, a block each ${BLOCK_MS} ms, against the same exchange that settles in memory at once`,
  async run() {
    await initCrypto();
    const servers = await Promise.all([
      forkBenchServer("settlement-server.ts", [String(BLOCK_MS)]),
      forkBenchServer("settlement-server.ts"),
    ]);
    const pools = servers.map(
      ({ ports }) =>
        new Pool(`http://127.0.0.1:${ports[0]}`, { connections: CONNECTIONS, pipelining: 1 }),
    );
    try {
      const [onChain, inMemory] = (await Promise.all(pools.map(Trading.open))) as [
        Trading,
        Trading,
      ];
      const measured = await interleaved({
        rounds: ROUNDS,
        ours: () => onChain.measure(),
        reference: () => inMemory.measure(),
      });
      const [accepted, acceptedInMemory] = [onChain, inMemory].map(({ accepted: rates }) =>
        median(rates.slice(1)),
      ) as [number, number];
      return {
        ...measured,
        unit: "trades/s",
        referenceIs: "the same exchange that settles in memory as soon as it matches",
        details: {
          "orders accepted a second, on the chain": accepted,
          "orders accepted a second, in memory": acceptedInMemory,
          "ratio of orders accepted": accepted / acceptedInMemory,
          "trades a round": TRADES_A_ROUND,
          "connections, each with one request under way": CONNECTIONS,
        },
      };
    } finally {
      await Promise.all(pools.map((pool) => pool.close()));
      for (const server of servers) server.end();
    }
  },
};

/** One exchange, and the two accounts that trade on it. */
class Trading {
  readonly #pool: Pool;
  readonly #orders: OrderSource;
  readonly accepted: number[] = [];

  private constructor(pool: Pool, orders: OrderSource) {
    this.#pool = pool;
    this.#orders = orders;
  }

  /** Registers both, and trades once: credit and mark come with the first blocks. */
  static async open(this: void, pool: Pool): Promise<Trading> {
    const orders = await OrderSource.open(pool, 2);
    const trading = new Trading(pool, orders);
    const untilMs = clock.monotonicMs() + PATIENCE_MS;
    for (const body of orders.pairs(1)) {
      for (;;) {
        const answer = await post(pool, "/v1/order", body);
        if (answer.includes('"status"')) break;
        if (clock.monotonicMs() > untilMs)
          throw new RunError("the accounts cannot trade", { value: answer });
        await after(POLL_MS);
      }
    }
    await trading.#settled(1);
    return trading;
  }

  /** @returns trades per second, from the first order to the last settlement. */
  async measure(): Promise<number> {
    const bodies = this.#orders.pairs(TRADES_A_ROUND);
    const startMs = clock.monotonicMs();
    this.accepted.push(await rateOf(this.#pool, bodies, CONNECTIONS, '"status":"'));
    await this.#settled(TRADES_A_ROUND);
    return (TRADES_A_ROUND * 1000) / (clock.monotonicMs() - startMs);
  }

  /**
   * Waits for the newest `count` trades.
   * @throws RunError for a trade that failed or is not settled in time.
   */
  async #settled(count: number): Promise<void> {
    const untilMs = clock.monotonicMs() + PATIENCE_MS;
    for (;;) {
      const answer = await this.#pool.request({
        method: "GET",
        path: `/v1/trades?marketId=btcusdc&limit=${count}`,
      });
      const trades = (await answer.body.json()) as readonly { readonly status: string }[];
      const waiting = trades.filter(({ status }) => status !== "SETTLED");
      const failed = waiting.find(({ status }) => status !== "CREATED");
      if (failed !== undefined)
        throw new RunError("a trade was not settled", { value: failed.status });
      if (trades.length === count && waiting.length === 0) return;
      if (clock.monotonicMs() > untilMs)
        throw new RunError("trades wait for their settlement", { value: waiting.length });
      await after(POLL_MS);
    }
  }
}
