import type { Ms } from "./units.js";

/** A rate limit of the exchange: a number of tokens within an interval. */
export interface TokenLimit {
  readonly limit: number;
  readonly intervalMs: Ms;
}

/**
 * The exchange's default token limits, from its public documentation. The client, the bot's
 * budgets, the embedded exchange and backtests all use them, so that a backtest is throttled where
 * the bot would be.
 */
export const DEFAULT_TOKEN_LIMITS = {
  ORDER: { limit: 1200, intervalMs: 60_000 },
  COMMON: { limit: 2400, intervalMs: 60_000 },
} as const satisfies Readonly<Record<string, TokenLimit>>;
