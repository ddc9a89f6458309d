import type { BotConfig } from "#bot/config.js";
import type { Random } from "#core/runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import type { Ms } from "#core/units.js";
import { drawFaults, type FaultStrike, type FaultWindow } from "#simulation/faults.js";
import { type ExchangeConfig, parseExchangeConfig } from "#simulator/config.js";
import { botConfig } from "./bot-config.js";

/** The plan of one simulated run, drawn from its seed alone. */
export interface SeedPlan {
  readonly seed: number;
  readonly exchange: ExchangeConfig;
  readonly bot: BotConfig;
  readonly faults: readonly FaultWindow[];
  /** In place of the strikes that the windows would give. */
  readonly strikes?: readonly FaultStrike[];
  /** One seed in twenty uses ECDSA signatures. */
  readonly realSignatures: boolean;
  /** Mean time between orders placed by hand on the bot's account; 0 for none. */
  readonly manualEveryMs: Ms;
  /** Mean time between deposits and withdrawals; 0 for none. */
  readonly transfersEveryMs: Ms;
  readonly marketMs: Ms;
}

export const START_MS: Ms = 1_760_000_000_000;
/** Time before the first fault: the bot starts in it. */
export const CALM_BEFORE_MS: Ms = 5_000;
/** Time after the last fault in which bot and exchange must come to agree. */
export const CALM_AFTER_MS: Ms = 100_000;

/** Draws the plan of a seed. */
export function planOf(seed: number, marketMs: Ms): SeedPlan {
  const random = seededRandom(`plan ${seed}`);
  const pick = <T>(choices: readonly T[]): T =>
    choices[Math.floor(random.uniform() * choices.length)] as T;
  const markets = random.uniform() < 0.3 ? ["btcusdc", "ethusdc"] : ["btcusdc"];
  const endMs = START_MS + marketMs;
  return {
    seed,
    exchange: exchangeOf(seed, markets, pick),
    bot: botOf(random, markets, pick),
    faults: drawFaults(random, START_MS + CALM_BEFORE_MS, endMs - CALM_AFTER_MS),
    realSignatures: seed % 20 === 0,
    manualEveryMs: random.uniform() < 0.3 ? 120_000 + Math.floor(random.uniform() * 400_000) : 0,
    transfersEveryMs: transfersOf(seededRandom(`transfers ${seed}`)),
    marketMs,
  };
}

function transfersOf(random: Random): Ms {
  return random.uniform() < 0.5 ? 60_000 + Math.floor(random.uniform() * 300_000) : 0;
}

type Pick = <T>(choices: readonly T[]) => T;

function exchangeOf(seed: number, markets: readonly string[], pick: Pick): ExchangeConfig {
  const market = (id: string) => ({
    baseAsset: id.slice(0, 3).toUpperCase(),
    ...(id === "ethusdc" ? { tickSize: "0.01", stepSize: "0.001" } : {}),
    funding: {
      mode: "fixed",
      intervalMs: pick([600_000, 1_800_000, 28_800_000]),
      rate: pick(["0.0001", "-0.0002", "0.00075"]),
    },
    flow: {
      kind: "synthetic",
      preset: "quiet",
      startPriceQuote: id === "ethusdc" ? 3_000 : 60_000,
    },
  });
  return parseExchangeConfig({
    seed: `exchange ${seed}`,
    markets: Object.fromEntries(markets.map((id) => [id, market(id)])),
    settlement: { delayMs: pick([200, 2_000, 12_000]), failureRate: pick([0, 0, 0.01, 0.05]) },
    rateLimits: {
      common: pick([900, 2400]),
      order: pick([90, 120, 300]),
      key: "ip",
      requestsBeforeBan: 60,
      banMs: 20_000,
    },
    streams: {
      bookIntervalMs: pick([100, 500]),
      pings: pick(["both", "text", "protocol"]),
      maxAgeMs: pick([900_000, 43_200_000]),
    },
    retention: { publicTrades: 500, historyOrders: 20_000, userTrades: 5_000, incomes: 5_000 },
  });
}

function botOf(random: Random, markets: readonly string[], pick: Pick): BotConfig {
  const timeInForce = pick(["POST_ONLY", "POST_ONLY", "GTT", "GTC"]);
  const everyMs = pick([600, 2_000, 4_000, 8_000]);
  const strategyOf = (id: string) => {
    const size = id === "ethusdc" ? "0.2" : "0.02";
    const limits = {
      maxPositionBase: id === "ethusdc" ? "1" : "0.1",
      maxOrderBase: id === "ethusdc" ? "0.5" : "0.05",
      maxOpenOrders: 12,
    };
    if (random.uniform() < 0.5) {
      const params = {
        levels: pick([1, 2, 3]),
        halfSpreadBps: pick([0.5, 1.5, 4]),
        levelSpacingBps: 2,
        sizeBase: Number(size),
        priceSkewBps: pick([0, 5]),
      };
      return { strategy: "ladder", params, limits };
    }
    return {
      strategy: "avellaneda-stoikov",
      params: { riskAversion: 0.05, horizonMs: 60_000, sizeBase: Number(size) },
      limits,
    };
  };
  return botConfig({
    exchange: {
      rest: "http://exchange.test/v1",
      stream: "ws://exchange.test/v1",
      placement: random.uniform() < 0.15 ? "server" : "local",
    },
    quotes: {
      timeInForce,
      quoteLifeMs: 90_000,
      priceToleranceTicks: pick([0, 5, 30]),
      sizeToleranceFraction: pick([0, 0.2]),
    },
    decide: { everyMs, onTouchChange: false, onFill: random.uniform() < 0.5, minGapMs: 200 },
    markets: Object.fromEntries(markets.map((id) => [id, strategyOf(id)])),
    risk: { maxDrawdownQuote: "1000000", maxBookAgeMs: 2_000, maxRejectsPerMinute: 30 },
    guard: { orderTokensFraction: 0.1, heartbeatMs: 500, deadAfterMs: 3_000 },
  });
}
