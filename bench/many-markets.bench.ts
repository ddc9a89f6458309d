import { setTimeout as after } from "node:timers/promises";
import type { Bench } from "./bench.js";
import { forkBenchServer } from "./bench-server.js";
import { effort } from "./effort.js";
import type { BotLoad } from "./many-markets-bot.js";

const MARKETS = [effort(10, 2), effort(30, 3), effort(60, 4)] as const;
/** Until the bot quotes in every market and its code is compiled. */
const WARM_UP_MS = effort(15_000, 1500);
const MEASURED_MS = effort(30_000, 1500);

/**
 * One bot on many synthetic markets over loopback, in a separate process, beside a bot of one
 * market.
 */
export const bench: Bench = {
  about:
    "a bot's processor time a market and second, and its time from tick to order, on 10, 30 and 60 markets, against a bot of one market",
  async run() {
    const one = await measured(1);
    const details: Record<string, number> = {};
    const told = (markets: number, load: Load): void => {
      const title = `${markets} market${markets === 1 ? "" : "s"}`;
      details[`${title}: processor time, ms a market and second`] = load.cpuMsAMarketSecond;
      details[`${title}: share of a core`] = (load.cpuMsAMarketSecond * markets) / 1000;
      details[`${title}: share of a core of the exchange`] = load.exchangeCores;
      details[`${title}: orders a second`] = load.ordersASecond;
      details[`${title}: tick to order, p50 ms`] = load.p50Ms;
      details[`${title}: tick to order, p99 ms`] = load.p99Ms;
    };
    told(1, one);
    let first: Load | undefined;
    for (const markets of MARKETS) {
      const load = await measured(markets);
      told(markets, load);
      first ??= load;
    }
    const ours = (first ?? one).cpuMsAMarketSecond;
    return {
      ours,
      reference: one.cpuMsAMarketSecond,
      ratio: ours / one.cpuMsAMarketSecond,
      unit: "ms a market and second",
      referenceIs: `a bot of one market; ours at ${MARKETS[0]} markets, the rest in the details; the exchange is another process on the same machine, and where its own share of a core is near 1 it is the exchange that can do no more`,
      details,
    };
  },
};

interface Load {
  readonly cpuMsAMarketSecond: number;
  /** Processor time of the exchange's process, as a share of one core. */
  readonly exchangeCores: number;
  readonly ordersASecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

async function measured(markets: number): Promise<Load> {
  const exchange = await forkBenchServer("many-markets-exchange.ts", [String(markets)]);
  const bot = await forkBenchServer("many-markets-bot.ts", [
    String(exchange.ports[0]),
    String(markets),
  ]);
  try {
    await after(WARM_UP_MS);
    await bot.query<BotLoad>();
    const exchangeBeforeMs = await exchange.cpuMs();
    const from = performance.now();
    await after(MEASURED_MS);
    const { cpuMs, tickToOrderMs } = await bot.query<BotLoad>();
    const exchangeMs = (await exchange.cpuMs()) - exchangeBeforeMs;
    const seconds = (performance.now() - from) / 1000;
    const sorted = Float64Array.from(tickToOrderMs).sort();
    const at = (share: number): number =>
      sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
    return {
      cpuMsAMarketSecond: cpuMs / seconds / markets,
      exchangeCores: exchangeMs / 1000 / seconds,
      ordersASecond: sorted.length / seconds,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
    };
  } finally {
    bot.end();
    exchange.end();
  }
}
