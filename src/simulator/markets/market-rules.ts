import { ConfigError } from "../../core/errors.js";
import { bytesToHex } from "../../core/hex.js";
import { decimalToScaled, Instrument } from "../../core/instrument.js";
import { keccak256 } from "../../core/keccak.js";
import type { CreditUnits, Hex, Lots, MarketId, Ticks } from "../../core/units.js";
import type { ExchangeConfig, MarketConfig } from "../config.js";

/** Ratios and rates are scaled by 10^18 (protocol 7.1). */
export const ONE = 10n ** 18n;

/** A market's configuration on its own number grid. */
export interface MarketRulesOnGrid {
  readonly id: MarketId;
  readonly instrument: Instrument;
  readonly config: MarketConfig;
  readonly perp: Hex;
  readonly minTicks: Ticks;
  readonly maxTicks: Ticks;
  readonly minLots: Lots;
  readonly maxLots: Lots;
  readonly marketMinLots: Lots;
  readonly marketMaxLots: Lots;
  /** Scaled by 10^18, signed. */
  readonly makerRate: bigint;
  readonly takerRate: bigint;
  readonly fundingRate: bigint;
  readonly maxLeverage: bigint;
  readonly liquidationThreshold: bigint;
  readonly maxExposure: CreditUnits;
  /** 10^paperDecimals: one whole base unit of paper. */
  readonly paperUnit: bigint;
}

/**
 * Puts a market's configuration on its grid.
 * @throws ConfigError naming the first value that is off the grid or contradicts another.
 */
export function marketRules(id: MarketId, exchange: ExchangeConfig): MarketRulesOnGrid {
  const config = exchange.markets[id] as MarketConfig;
  const field = (name: string) => `markets.${id}.${name}`;
  const guarded = <Value>(name: string, value: unknown, read: () => Value): Value => {
    try {
      return read();
    } catch (cause) {
      throw new ConfigError("not on this market's number grid", { field: field(name), value, expected: reasonOf(cause), cause });
    }
  };
  const instrument = guarded(
    "tickSize, stepSize",
    `${config.tickSize}, ${config.stepSize}`,
    () => new Instrument({ marketId: id, ...config, creditDecimals: exchange.creditDecimals, paperDecimals: exchange.paperDecimals }),
  );
  const ticks = (name: string, text: string) => guarded(name, text, () => instrument.ticksOf(text));
  const lots = (name: string, text: string) => guarded(name, text, () => instrument.lotsOf(text));
  const ratio = (name: string, text: string) => guarded(name, text, () => decimalToScaled(text, 18));
  const rules: MarketRulesOnGrid = {
    id,
    instrument,
    config,
    perp: config.perp ?? derivedAddress(id),
    minTicks: ticks("priceQuote.min", config.priceQuote.min),
    maxTicks: ticks("priceQuote.max", config.priceQuote.max),
    minLots: lots("amountBase.min", config.amountBase.min),
    maxLots: lots("amountBase.max", config.amountBase.max),
    marketMinLots: lots("marketAmountBase.min", config.marketAmountBase.min),
    marketMaxLots: lots("marketAmountBase.max", config.marketAmountBase.max),
    makerRate: ratio("makerFeeRate", config.makerFeeRate),
    takerRate: ratio("takerFeeRate", config.takerFeeRate),
    fundingRate: ratio("funding.rate", config.funding.rate),
    maxLeverage: BigInt(config.maxLeverage),
    liquidationThreshold: ratio("liquidationThreshold", config.liquidationThreshold),
    maxExposure: guarded("maxExposureQuote", config.maxExposureQuote, () =>
      decimalToScaled(config.maxExposureQuote, exchange.creditDecimals),
    ),
    paperUnit: 10n ** BigInt(exchange.paperDecimals),
  };
  requireOrder(field("priceQuote"), 1, rules.minTicks, rules.maxTicks, config.priceQuote);
  requireOrder(field("amountBase"), 1, rules.minLots, rules.maxLots, config.amountBase);
  requireOrder(field("marketAmountBase"), 1, rules.marketMinLots, rules.marketMaxLots, config.marketAmountBase);
  if (rules.liquidationThreshold * rules.maxLeverage > ONE || rules.liquidationThreshold <= 0n) {
    throw new ConfigError("an account at full leverage would be liquidated at once", {
      field: field("liquidationThreshold"),
      value: config.liquidationThreshold,
      expected: `above 0 and at most 1 / maxLeverage (${1 / config.maxLeverage})`,
    });
  }
  for (const name of ["makerFeeRate", "takerFeeRate"] as const) {
    const rate = name === "makerFeeRate" ? rules.makerRate : rules.takerRate;
    if (rate <= -ONE || rate >= ONE) {
      throw new ConfigError("not a fee rate", { field: field(name), value: config[name], expected: "a fraction between -1 and 1" });
    }
  }
  return rules;
}

function requireOrder(field: string, least: number, min: number, max: number, value: unknown): void {
  if (min < least || max < min) {
    throw new ConfigError("bounds contradict each other", { field, value, expected: "0 < min <= max" });
  }
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** A contract address of a market that names none: stable for its id, and of no contract anywhere. */
function derivedAddress(id: MarketId): Hex {
  return bytesToHex(keccak256(Buffer.from(`marketwright perp ${id}`, "utf8")).subarray(12));
}
