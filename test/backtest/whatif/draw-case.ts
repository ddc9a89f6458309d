import type { BotConfig } from "#bot/config.js";
import { changeConfig, type ValueChange } from "#bot/config-change.js";
import type { Random } from "#core/runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import type { Ms } from "#core/units.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { botConfig } from "../../simulation/bot-config.js";
import { MARKET, type Opening } from "./continued-market.js";

/** A session to be recorded, and the question that is put to it. */
export interface WhatIfCase {
  readonly opening: Opening;
  /** As it is recorded. */
  readonly config: BotConfig;
  readonly change: ValueChange;
  /** With the change. */
  readonly changed: BotConfig;
}

/** Slower than the presets, so that four thousand runs end within an hour. */
const FLOWS = {
  quiet: {},
  lively: {
    providers: { looksPerSecond: 0.7 },
    noise: { arrivalsPerSecond: 0.8 },
    informed: { looksPerSecond: 0.5 },
  },
  fitted: {
    touch: { looksPerSecond: 3 },
    providers: { looksPerSecond: 0.5 },
    noise: { arrivalsPerSecond: 1.2 },
    informed: { looksPerSecond: 0.5 },
  },
} as const;
/** Volatility of the presets, basis points per square root of a second. */
const VOLATILITY_BPS = 0.5;

/**
 * Draws a session and a change of it: market, volatility, fees, strategy, opening position, the
 * changed key and its factor.
 * @param seed of all draws
 */
export function drawCase(seed: string, durationMs: Ms): WhatIfCase {
  const random = seededRandom(`whatif ${seed}`);
  const preset = pick(random, ["quiet", "quiet", "lively", "fitted"] as const);
  const volatilityBpsPerSqrtSecond = VOLATILITY_BPS * Math.exp(between(random, -1.2, 0.8));
  const exchange = parseExchangeConfig({
    port: 0,
    markets: {
      [MARKET]: {
        tickSize: "0.1",
        stepSize: "0.001",
        makerFeeRate: pick(random, ["-0.0001", "0", "0.00005"]),
        flow: {
          kind: "synthetic",
          preset,
          startPriceQuote: 60_000,
          ...FLOWS[preset],
          fundamental: {
            volatilityBpsPerSqrtSecond,
            volatilitySigma: pick(random, [0, 0.15, 0.3]),
          },
        },
      },
    },
    rateLimits: { common: 0, order: 0 },
  });
  const sizeLots = 5 + Math.floor(25 * random.uniform());
  const strategy = pick(random, ["ladder", "ladder", "avellaneda-stoikov", "glft"] as const);
  const params: Record<string, number> = {
    sizeBase: sizeLots / 1000,
    levels: pick(random, [1, 1, 2, 3]),
    levelSpacingBps: rounded(between(random, 0.4, 1)),
    ...(strategy === "ladder" ? ladderParams(random) : modelParams(random)),
  };
  const maxPositionBase = (sizeLots * pick(random, [10, 20, 40])) / 1000;
  const config = botConfig({
    quotes: { timeInForce: "POST_ONLY", priceToleranceTicks: 10 },
    decide: { everyMs: 2000, minGapMs: 1000 },
    markets: { [MARKET]: { strategy, params, limits: { maxPositionBase, maxOrderBase: 1 } } },
  });
  const change = drawChange(random, params, maxPositionBase);
  const positionLots = random.uniform() < 1 / 3 ? 0 : Math.round(sizeLots * between(random, -6, 6));
  return {
    opening: { seed, exchange, positionLots, durationMs },
    config,
    change,
    changed: changeConfig(config, [change]),
  };
}

function ladderParams(random: Random): Record<string, number> {
  return {
    halfSpreadBps: rounded(between(random, 0.4, 1.6)),
    priceSkewBps: pick(random, [0.5, 1, 2]),
  };
}

function modelParams(random: Random): Record<string, number> {
  return {
    riskAversion: rounded(Math.exp(between(random, -4, -2))),
    kPerBps: rounded(between(random, 0.8, 2.5)),
  };
}

function drawChange(
  random: Random,
  params: Readonly<Record<string, number>>,
  maxPositionBase: number,
): ValueChange {
  const factor = pick(random, [0.4, 0.6, 0.8, 1.25, 1.6, 2.5]);
  const at = (key: string, value: number): ValueChange => ({
    path: ["markets", MARKET, "params", key],
    value,
  });
  const scaled = (key: string): ValueChange => at(key, rounded((params[key] as number) * factor));
  const { sizeBase = 0, levels = 1 } = params;
  const spread = params.halfSpreadBps === undefined ? "kPerBps" : "halfSpreadBps";
  const skew = params.priceSkewBps === undefined ? "riskAversion" : "priceSkewBps";
  return pick(random, [
    () => scaled(spread),
    () => scaled(spread),
    () => at("sizeBase", Math.max(1, Math.round(1000 * sizeBase * factor)) / 1000),
    () => scaled(skew),
    () => at("levels", levels === 1 ? 2 : levels - 1),
    (): ValueChange => ({
      path: ["markets", MARKET, "limits", "maxPositionBase"],
      value: Math.round(1000 * maxPositionBase * 0.3) / 1000,
    }),
  ])();
}

function pick<Value>(random: Random, values: readonly Value[]): Value {
  return values[Math.floor(random.uniform() * values.length)] as Value;
}

function between(random: Random, from: number, to: number): number {
  return from + (to - from) * random.uniform();
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
