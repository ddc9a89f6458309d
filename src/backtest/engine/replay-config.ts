import type { BotConfig } from "../../bot/config/config.js";
import { DAY_MS } from "../../core/units.js";
import type { VenueRules } from "../../exchange/records.js";

/** How coarse a replay's time is. */
export interface ReplayPace {
  /** Nothing that only time makes due is looked at more often than this. */
  readonly tickMs: number;
  /** The longest silence of the market's data that is no fault: candles are far apart. */
  readonly silenceMs: number;
}

/** What a run on the exchange's own clock and stream has: books and trades, or trades. */
export const FINE_PACE: ReplayPace = { tickMs: 100, silenceMs: 0 };

/** A day: as long as any interval that is asked at. */

/**
 * A bot's file as a replay runs it: the same strategy, decisions, quotes, limits and halts. What watches the line to an exchange is slowed down
 * to the pace of the history, no order is built by a server, and the markets are those of the history alone.
 */
export function replayConfig(
  config: BotConfig,
  markets: ReadonlySet<string>,
  { tickMs, silenceMs }: ReplayPace = FINE_PACE,
): BotConfig {
  const isCoarse = silenceMs > 0;
  const { liquidator: _liquidator, chain: _chain, ...kept } = config;
  return {
    ...kept,
    markets: Object.fromEntries(Object.entries(config.markets).filter(([id]) => markets.has(id))),
    exchange: {
      ...config.exchange,
      placement: "local",
      ...(isCoarse ? { reconcileMs: DAY_MS, rulesRefreshMs: DAY_MS } : {}),
    },
    decide: isCoarse
      ? { ...config.decide, everyMs: Math.max(config.decide.everyMs, tickMs) }
      : config.decide,
    risk: isCoarse
      ? {
          ...config.risk,
          maxBookAgeMs: Math.max(config.risk.maxBookAgeMs, 3 * silenceMs),
          maxAccountAgeMs: 3 * DAY_MS,
        }
      : config.risk,
  };
}

/** The exchange's rules as a replayed bot has them: no order has to be built by the exchange for its gas, which is charged all the same. */
export function replayRules(rules: VenueRules, startMs: number): VenueRules {
  return { ...rules, waiveGasFeeMinimumQuote: 0n, serverTimeMs: startMs };
}
