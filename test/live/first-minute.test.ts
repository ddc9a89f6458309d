import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { loadBotConfig } from "#bot/config.js";
import { startBot } from "#bot/run-bot.js";
import { MemoryStateStore } from "#bot/state-dir.js";
import { loadExchangeConfig } from "#cli/load-exchange-config.js";
import type { Random } from "#core/runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import type { MarketId, Ms } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { silentLog } from "#monitoring/log.js";
import { FaultSource } from "#simulation/faults.js";
import { FaultyNetwork } from "#simulation/faulty-network.js";
import { configuredExchange } from "#simulator/configured-exchange.js";

const START_MS: Ms = 1_760_000_000_000;
/** As the loopback device, the network takes a millisecond or two. */
const QUICKEST: Random = { uniform: () => 0, uint64: () => 0n };

const file = (name: string): string =>
  fileURLToPath(new URL(`../../config/${name}`, import.meta.url));

describe("what `npm start` shows in its first minute", () => {
  it("fills both sides of every market within 60 s, with the default seed", async () => {
    const clock = new VirtualClock(START_MS);
    // The market is the same without the chain, which takes real time.
    const { chain: _chain, ...exchangeConfig } = loadExchangeConfig(file("exchange.yaml"));
    const exchange = configuredExchange(
      exchangeConfig,
      { clock, random: seededRandom("exchange") },
      { baseFolder: dirname(file("exchange.yaml")) },
    );
    exchange.start();
    const config = loadBotConfig(file("bot.yaml"), {}, { key: "unused" });
    const starting = startBot({
      config,
      privateKey: `0x${"5a".repeat(32)}`,
      runtime: { clock, random: seededRandom("bot") },
      store: new MemoryStateStore(),
      log: silentLog,
      transport: new FaultyNetwork(exchange, clock, new FaultSource([], QUICKEST), "10.0.0.1"),
    });
    await clock.runFor(1_000);
    const running = await starting;
    await clock.runUntil(START_MS + 60_000);

    const first = new Map<MarketId, { buySeconds: number; sellSeconds: number; fills: number }>();
    for (const marketId of Object.keys(exchangeConfig.markets)) {
      const trades =
        exchange.account(running.account)?.markets.get(marketId)?.trades.page({ limit: 10_000 }) ??
        [];
      const at = (isBuyer: boolean): number =>
        Math.min(
          ...trades
            .filter((trade) => trade.isBuyer === isBuyer)
            .map(({ trade }) => (trade.timeMs - START_MS) / 1_000),
        );
      first.set(marketId, { buySeconds: at(true), sellSeconds: at(false), fills: trades.length });
    }
    const quotedSeconds = (running.monitor.firstQuoteAtMs ?? Number.POSITIVE_INFINITY) / 1_000;
    console.info(JSON.stringify({ quotedSeconds, first: Object.fromEntries(first) }));
    expect(Object.keys(running.bot.context.config.markets)).toEqual([...first.keys()]);
    expect(quotedSeconds).toBeLessThan(5);
    for (const { buySeconds, sellSeconds } of first.values()) {
      expect(buySeconds).toBeLessThan(60);
      expect(sellSeconds).toBeLessThan(60);
    }
    expect(running.bot.tradingGuards.halts).toEqual([]);
    running.bot.abandon();
    running.close();
    exchange.stop();
  });
});
