import { ConfigError, FormatError } from "../../../core/errors.js";
import type { MarketId } from "../../../core/units.js";
import type { VenueRules } from "../../../exchange/records.js";
import type { HedgeContract } from "../../../hedge/hedge-venue.js";
import type { MarketHedgeConfig } from "../../config/config.js";

/**
 * Checks that a contract can hedge a market: the same base asset, a rate between different quote
 * assets, and clips that the venue accepts.
 * @param market absent if the exchange's rules are not known
 * @throws ConfigError with what does not fit
 */
export function checkHedgeContract(
  marketId: MarketId,
  hedge: MarketHedgeConfig,
  contract: HedgeContract,
  market: VenueRules["markets"][MarketId] | undefined,
): void {
  const field = `markets.${marketId}.hedge`;
  const { baseAsset, quoteAsset, instrument, minLots } = contract;
  if (market?.baseAsset !== undefined && !isSameAsset(market.baseAsset, baseAsset))
    throw new ConfigError(`is a contract of ${baseAsset}, and the market's base asset is another`, {
      field: `${field}.symbol`,
      value: hedge.symbol,
      expected: `a contract of ${market.baseAsset.toUpperCase()}`,
    });
  if (
    hedge.quoteRate === undefined &&
    market?.quoteAsset !== undefined &&
    !isSameAsset(market.quoteAsset, quoteAsset)
  )
    throw new ConfigError(`is missing, and the hedge is paid in ${quoteAsset}`, {
      field: `${field}.quoteRate`,
      expected: `the ${market.quoteAsset.toUpperCase()} of one ${quoteAsset}, fixed or from a reference`,
    });
  if (hedge.minClipBase === undefined) return;
  if (lotsFor(contract, hedge.minClipBase, `${field}.minClipBase`) < minLots)
    throw new ConfigError("is below the venue's smallest order", {
      field: `${field}.minClipBase`,
      value: hedge.minClipBase,
      expected: `at least ${instrument.formatAmount(minLots)}`,
    });
}

function lotsFor({ instrument }: HedgeContract, base: string, field: string): number {
  try {
    return instrument.parseAmount(base);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new ConfigError("is not on the hedge venue's grid", {
      field,
      value: base,
      expected: `a multiple of ${instrument.stepSize}`,
    });
  }
}

function isSameAsset(one: string, other: string): boolean {
  return one.toUpperCase() === other.toUpperCase();
}
