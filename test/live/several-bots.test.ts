import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { startBot } from "#bot/run-bot.js";
import { MemoryStateStore } from "#bot/state-dir.js";
import type { Random } from "#core/runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import { initCrypto } from "#core/signing.js";
import type { Ms } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { silentLog } from "#monitoring/log.js";
import { FaultSource } from "#simulation/faults.js";
import { FaultyNetwork } from "#simulation/faulty-network.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { configuredExchange } from "#simulator/configured-exchange.js";
import { botConfig } from "../simulation/bot-config.js";

const START_MS: Ms = 1_760_000_000_000;
const MARKET = "btcusdc";
const MINUTES = 1;
/** As the loopback device, the network takes a millisecond or two. */
const QUICKEST: Random = { uniform: () => 0, uint64: () => 0n };

/**
 * Two ladders of different width, and a strategy of a user's that takes from whoever is at the
 * touch.
 */
const BOTS = [
  {
    strategy: "ladder",
    params: {
      levels: 3,
      halfSpreadBps: 2,
      levelSpacingBps: 2,
      sizeBase: 0.02,
      priceSkewBps: 3,
      refreshToleranceBps: 1.5,
    },
  },
  {
    strategy: "ladder",
    params: {
      levels: 1,
      halfSpreadBps: 1,
      levelSpacingBps: 1,
      sizeBase: 0.05,
      priceSkewBps: 8,
      refreshToleranceBps: 0.5,
    },
  },
  {
    strategy: fileURLToPath(new URL("swinging-target.ts", import.meta.url)),
    params: { targetLots: 40, looks: 20 },
  },
];

/** Runs the bots for some minutes. @returns what each ended with */
async function tradeAmongThemselves() {
  const clock = new VirtualClock(START_MS);
  const exchange = configuredExchange(
    parseExchangeConfig({
      markets: {
        [MARKET]: {
          flow: {
            kind: "synthetic",
            preset: "lively",
            startPriceQuote: 30_000,
            providers: { halfSpreadBps: 6 },
          },
        },
      },
      settlement: { delayMs: 1500, failureRate: 0.02 },
    }),
    { clock, random: seededRandom("exchange of several") },
  );
  exchange.start();
  const starting = BOTS.map((market, place) =>
    startBot({
      config: botConfig({
        markets: {
          [MARKET]: {
            ...market,
            limits: {
              maxPositionBase: 0.5,
              maxOrderBase: 0.1,
              maxOpenOrders: 20,
              maxDistanceFromMarkBps: 500,
            },
          },
        },
      }),
      privateKey: `0x${(0x5a00 + place).toString(16).padStart(64, "0")}`,
      runtime: { clock, random: seededRandom(`bot ${place}`) },
      store: new MemoryStateStore(),
      log: silentLog,
      transport: new FaultyNetwork(
        exchange,
        clock,
        new FaultSource([], QUICKEST),
        `10.0.0.${place + 1}`,
      ),
    }),
  );
  await clock.runFor(1_000);
  const bots = await Promise.all(starting);
  await clock.runUntil(START_MS + MINUTES * 60_000);
  const accounts = bots.map(({ account }) => account.toLowerCase());
  const ended = bots.map(({ account, bot }) => ({
    halts: bot.tradingGuards.halts,
    fills: exchange.account(account)?.inMarket(MARKET).trades.page({ limit: 1_000_000 }) ?? [],
    exchangeLots: exchange.positionLots(account, MARKET),
    openAtExchange: exchange.openOrders(account).map(({ terms }) => terms.hash),
  }));
  const audit = exchange.audit();
  for (const { bot, close } of bots) {
    bot.abandon();
    close();
  }
  exchange.stop();
  return { accounts, ended, audit };
}

describe("several bots on one exchange", () => {
  it("trade with each other, none mixes up whose order is whose, and no unit of money is lost", async () => {
    await initCrypto();
    const { accounts, ended, audit } = await tradeAmongThemselves();
    expect(new Set(accounts).size).toBe(BOTS.length);
    const idsOf = ended.map(({ fills }) => new Set(fills.map(({ trade }) => trade.id)));
    const shared = idsOf.flatMap((ids, place) =>
      idsOf.slice(place + 1).flatMap((others) => [...ids].filter((id) => others.has(id))),
    );
    expect(shared.length).toBeGreaterThan(0);
    for (const [place, { halts, fills, exchangeLots }] of ended.entries()) {
      expect([place, halts]).toEqual([place, []]);
      expect(fills.length).toBeGreaterThan(0);
      // POST_ONLY quotes only make, slices only take.
      expect(fills.every(({ isMaker }) => isMaker === place < 2)).toBe(true);
      const lots = fills
        .filter(({ trade }) => trade.status !== "FAILED")
        .reduce((sum, { isBuyer, trade }) => sum + (isBuyer ? trade.lots : -trade.lots), 0);
      expect(exchangeLots).toBe(lots);
    }
    const hashes = ended.flatMap(({ openAtExchange }) => openAtExchange);
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(audit.isConserved).toBe(true);
  });
});
