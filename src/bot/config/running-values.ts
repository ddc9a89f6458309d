import { isDeepStrictEqual } from "node:util";
import type { MarketId } from "../../core/units.js";
import type { BotConfig, MarketConfig } from "./config.js";

/**
 * The values of a bot's file that may change while it runs: plain JSON, as a journal has them. What
 * may change is a part of it (`changeable-keys.ts`).
 */
export interface RunningValues {
  readonly quotes: BotConfig["quotes"];
  readonly decide: BotConfig["decide"];
  readonly risk: BotConfig["risk"];
  readonly markets: Readonly<Record<MarketId, RunningMarketValues>>;
}

/** The values of one market that may change while its bot runs. */
export type RunningMarketValues = Pick<MarketConfig, "params" | "decide" | "limits">;

/** The running values of a config, as a journal will have them. */
export function toRunningValues({ quotes, decide, risk, markets }: BotConfig): RunningValues {
  const running = {
    quotes,
    decide,
    risk,
    markets: Object.fromEntries(
      Object.entries(markets).map(([marketId, { params, decide: own, limits }]) => [
        marketId,
        { params, decide: own, limits },
      ]),
    ),
  };
  // A value that JSON leaves out must not make a replay differ from the run.
  return JSON.parse(JSON.stringify(running)) as RunningValues;
}

/** A config with other running values. */
export function withRunningValues(config: BotConfig, values: RunningValues): BotConfig {
  const { quotes, decide, risk } = values;
  return {
    ...config,
    quotes,
    decide,
    risk,
    markets: Object.fromEntries(
      Object.entries(config.markets).map(([marketId, { decide: _, ...market }]) => [
        marketId,
        { ...market, ...values.markets[marketId] },
      ]),
    ),
  };
}

/** True if two values are the same JSON: the order of keys, and absent ones, do not count. */
export function isSameJson(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(plain(a), plain(b));
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
