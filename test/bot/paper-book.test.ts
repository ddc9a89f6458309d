import { NEVER } from "rxjs";
import { expect, it } from "vitest";
import { readVenueRules } from "#backtest/backtest-rules.js";
import { Bot } from "#bot/bot.js";
import type { BotConfig } from "#bot/config.js";
import { botSchema } from "#bot/config-schema.js";
import { DiscardingStore } from "#bot/discarding-store.js";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { builtInStrategies } from "#strategies/built-in.js";

const MARKET = "btcusdc";
const LADDER = { halfSpreadBps: 1, sizeBase: 0.01 };
const OWN = { side: "BUY", ticks: 600_000, lots: 5, dueLots: 5 } as const;

/** The best bid that a bot sees if an own order has the price and the size of the stream's best. */
function bestBidTicks(isPaper: boolean): number | undefined {
  const config = botSchema.parse({
    exchange: { rest: "http://exchange.test/v1", stream: "ws://exchange.test/v1" },
    account: { keyEnv: "KEY" },
    quotes: { timeInForce: "POST_ONLY" },
    markets: {
      [MARKET]: {
        strategy: "ladder",
        params: LADDER,
        limits: { maxPositionBase: "1", maxOrderBase: "0.1" },
      },
    },
    risk: { maxDrawdownQuote: "1000" },
  });
  const market = {
    tickSizeQuote: "0.1",
    stepSizeBase: "0.001",
    makerFeeRate: "0.0001",
    takerFeeRate: "0.0005",
    maxOpenOrders: 200,
  };
  const terms = { ...market, maxLeverage: 20, liquidationThreshold: 0.03 };
  const bot = new Bot({
    config: { ...config, path: "/bot.yaml" } as unknown as BotConfig,
    accountAddress: "0x00000000000000000000000000000000000000aa",
    rules: readVenueRules(
      { markets: { [MARKET]: terms }, liquidationPriceOff: 0.01, insuranceFeeRate: 0.01 },
      [MARKET],
      "/",
    ),
    strategies: new Map([[MARKET, builtInStrategies.ladder.bind(LADDER)]]),
    venue: { events$: NEVER, submit: () => {}, resubscribe: () => {}, close: () => {} },
    runtime: { clock: new VirtualClock(Date.UTC(2026, 0, 5)), random: seededRandom("paper book") },
    store: new DiscardingStore(),
    outbox: { enqueue: () => {} },
    listener: () => {},
    isPaper,
  });
  bot.accept({
    kind: "event",
    event: {
      type: "book-snapshot",
      marketId: MARKET,
      sequence: 1,
      bids: [600_000, 5, 599_990, 7],
      asks: [600_010, 5],
    },
  });
  const trader = bot.context.traders.get(MARKET);
  trader?.noteOwn({ inBook: () => [OWN] }, 0);
  const touch = trader?.touch();
  bot.abandon();
  return touch?.bidTicks;
}

it("subtracts own orders only from a live book: on paper they are not in it, and other accounts' size would be missing", () => {
  expect(bestBidTicks(true)).toBe(600_000);
  expect(bestBidTicks(false)).toBe(599_990);
});
