import { Decimal } from "decimal.js";
import { bytesToHex } from "../../core/crypto/hex.js";
import { keccak256 } from "../../core/crypto/keccak.js";
import { ConfigError, MarketwrightError } from "../../core/errors.js";
import { decimalToScaled, Instrument, requireGridUnit } from "../../core/instrument.js";
import {
  type CreditUnits,
  DAY_MS,
  type Hex,
  type Lots,
  type MarketId,
  type Ticks,
} from "../../core/units.js";
import { ONE } from "../../perpetual/fixed-point.js";
import type { ExchangeConfig, MarketConfig } from "../config/config.js";
import { type ConfigSource, configConflict } from "./config-conflict.js";
import type { PremiumTerms } from "./premium-meter.js";

/** A market's configuration on its own number grid. */
export interface MarketRulesOnGrid {
  readonly id: MarketId;
  readonly instrument: Instrument;
  readonly config: MarketConfig;
  readonly perp: Hex;
  /**
   * Prices of new orders are multiples of this many of the instrument's ticks, and amounts of this
   * many lots (`lotStep`).
   */
  readonly tickStep: Ticks;
  readonly lotStep: Lots;
  readonly minTicks: Ticks;
  readonly maxTicks: Ticks;
  readonly minLots: Lots;
  readonly maxLots: Lots;
  readonly marketMinLots: Lots;
  readonly marketMaxLots: Lots;
  /** Scaled by 10^18, signed. */
  readonly makerRate: bigint;
  readonly takerRate: bigint;
  /** The rate of mode `fixed`; unused in mode `premium`. */
  readonly fundingRate: bigint;
  /** The terms of mode `premium`; unused in mode `fixed`. */
  readonly premium: PremiumTerms;
  /** The notional of the impact prices. */
  readonly impactNotional: CreditUnits;
  readonly maxLeverage: bigint;
  readonly liquidationThreshold: bigint;
  readonly maxExposure: CreditUnits;
}

/**
 * Converts a market's configuration to its grid.
 * @param written the user's file, so that a default is not reported as if it were written there.
 * @throws ConfigError naming the first value that is off the grid or contradicts another.
 */
export function marketRules(
  id: MarketId,
  exchange: ExchangeConfig,
  written?: ConfigSource,
): MarketRulesOnGrid {
  const config = exchange.markets[id] as MarketConfig;
  const path = (name: string): readonly string[] => ["markets", id, ...name.split(".")];
  const field = (name: string) => path(name).join(".");
  const guarded = <Value>(
    name: string,
    value: unknown,
    grid: GridKey,
    read: () => Value,
  ): Value => {
    try {
      return read();
    } catch (cause) {
      const ofMarket = grid === "tickSize" || grid === "stepSize";
      const unit = ofMarket ? config[grid] : exchange[grid];
      const expected = ofMarket
        ? `a whole multiple of ${grid}, ${unit}${tooMany(value, unit)}`
        : expectedOf(cause);
      const against = [{ path: ofMarket ? path(grid) : [grid], value: unit }];
      throw configConflict(
        { path: path(name), value, summary: `does not fit ${grid}`, expected, against, cause },
        written,
      );
    }
  };
  const plain = <Value>(name: string, value: string, read: () => Value): Value => {
    try {
      return read();
    } catch (cause) {
      throw new ConfigError("has too many digits", {
        field: field(name),
        value,
        expected: expectedOf(cause),
        cause,
      });
    }
  };
  for (const name of ["tickSize", "stepSize"] as const)
    plain(name, config[name], () => requireGridUnit(config[name], name));
  const instrument = guarded(
    "stepSize",
    config.stepSize,
    "paperDecimals",
    () =>
      new Instrument({
        marketId: id,
        ...config,
        creditDecimals: exchange.creditDecimals,
        paperDecimals: exchange.paperDecimals,
      }),
  );
  const ticks = (name: string, text: string) =>
    guarded(name, text, "tickSize", () => instrument.parsePrice(text));
  const lots = (name: string, text: string) =>
    guarded(name, text, "stepSize", () => instrument.parseAmount(text));
  const ratio = (name: string, text: string) => plain(name, text, () => decimalToScaled(text, 18));
  const liquidationThreshold = ratio("liquidationThreshold", config.liquidationThreshold);
  const rules: MarketRulesOnGrid = {
    id,
    instrument,
    config,
    perp: config.perp ?? derivedAddress(id),
    tickStep: 1,
    lotStep: 1,
    minTicks: ticks("priceQuote.min", config.priceQuote.min),
    maxTicks: ticks("priceQuote.max", config.priceQuote.max),
    minLots: lots("amountBase.min", config.amountBase.min),
    maxLots: lots("amountBase.max", config.amountBase.max),
    marketMinLots: lots("marketAmountBase.min", config.marketAmountBase.min),
    marketMaxLots: lots("marketAmountBase.max", config.marketAmountBase.max),
    makerRate: ratio("makerFeeRate", config.makerFeeRate),
    takerRate: ratio("takerFeeRate", config.takerFeeRate),
    fundingRate: ratio("funding.rate", config.funding.rate ?? DEFAULT_FUNDING_RATE),
    premium: premiumTerms(config, liquidationThreshold),
    impactNotional: guarded(
      "funding.impactNotionalQuote",
      config.funding.impactNotionalQuote,
      "creditDecimals",
      () =>
        decimalToScaled(
          config.funding.impactNotionalQuote ?? impactNotionalQuote(config.maxLeverage),
          exchange.creditDecimals,
        ),
    ),
    maxLeverage: BigInt(config.maxLeverage),
    liquidationThreshold,
    maxExposure: guarded("maxExposureQuote", config.maxExposureQuote, "creditDecimals", () =>
      decimalToScaled(config.maxExposureQuote, exchange.creditDecimals),
    ),
  };
  for (const name of ["priceQuote", "amountBase", "marketAmountBase"] as const) {
    const { min, max } = config[name];
    // Both are on the grid and above zero, so as short decimals they compare exactly.
    if (new Decimal(min).lte(max)) continue;
    throw configConflict(
      {
        path: path(`${name}.max`),
        value: max,
        summary: `is below ${name}.min`,
        expected: `at least ${name}.min, ${min}`,
        against: [{ path: path(`${name}.min`), value: min }],
      },
      written,
    );
  }
  if (rules.liquidationThreshold * rules.maxLeverage > ONE || rules.liquidationThreshold <= 0n) {
    throw configConflict(
      {
        path: path("liquidationThreshold"),
        value: config.liquidationThreshold,
        summary: "would liquidate an account at full leverage immediately",
        expected: `above 0 and at most 1 / maxLeverage, ${1 / config.maxLeverage}`,
        against: [{ path: path("maxLeverage"), value: config.maxLeverage }],
      },
      written,
    );
  }
  const { flow } = config;
  if (flow.kind === "synthetic") {
    const { min, max } = config.priceQuote;
    if (new Decimal(min).gt(flow.startPriceQuote) || new Decimal(max).lt(flow.startPriceQuote)) {
      throw configConflict(
        {
          path: path("flow.startPriceQuote"),
          value: flow.startPriceQuote,
          summary: "is outside the price range of this market",
          expected: `from priceQuote.min, ${min}, to priceQuote.max, ${max}`,
          against: [],
        },
        written,
      );
    }
  }
  for (const name of ["makerFeeRate", "takerFeeRate"] as const) {
    const rate = name === "makerFeeRate" ? rules.makerRate : rules.takerRate;
    if (rate <= -ONE || rate >= ONE) {
      throw new ConfigError("is not a valid fee rate", {
        field: field(name),
        value: config[name],
        expected: "a fraction between -1 and 1",
      });
    }
  }
  if (rules.impactNotional <= 0n) {
    throw new ConfigError("is not a positive notional", {
      field: field("funding.impactNotionalQuote"),
      value: config.funding.impactNotionalQuote,
      expected: "more than 0",
    });
  }
  return rules;
}

const DEFAULT_FUNDING_RATE = "0.0001";

/**
 * The notional that the service samples with: 4000 in markets of 20 times leverage and more, 2000
 * in others (docs/reference/protocol.md#funding).
 */
function impactNotionalQuote(maxLeverage: number): string {
  return maxLeverage >= 20 ? "4000" : "2000";
}

/**
 * The limiter contract allows a rate of up to multiplier x elapsed days x maintenance ratio
 * (docs/reference/protocol.md#funding).
 */
function premiumTerms({ funding }: MarketConfig, liquidationThreshold: bigint): PremiumTerms {
  const { intervalMs, sampleIntervalMs, minSampleShare, speedMultiplier } = funding;
  return {
    kind: funding.premium,
    minSamples: Math.max(1, Math.ceil((intervalMs / sampleIntervalMs) * minSampleShare)),
    bound:
      speedMultiplier === 0
        ? null
        : (BigInt(speedMultiplier) * BigInt(intervalMs) * liquidationThreshold) / BigInt(DAY_MS),
  };
}

/** The key that defines a value's number grid, of its market or of the exchange. */
type GridKey = "tickSize" | "stepSize" | "creditDecimals" | "paperDecimals";

/** Describes why an amount on the grid is too large. */
function tooMany(value: unknown, unit: unknown): string {
  const isOnGrid = new Decimal(String(value)).mod(String(unit)).isZero();
  return isOnGrid ? `, and at most ${Number.MAX_SAFE_INTEGER} of it` : "";
}

function expectedOf(cause: unknown): string {
  return (cause instanceof MarketwrightError ? cause.expected : undefined) ?? String(cause);
}

/**
 * The contract address of a market without one: constant for its id, and not a deployed contract's.
 */
function derivedAddress(id: MarketId): Hex {
  return bytesToHex(keccak256(Buffer.from(`marketwright perp ${id}`, "utf8")).subarray(12));
}
