import { ConfigError } from "../../core/errors.js";
import { Instrument } from "../../core/instrument.js";
import type { CreditUnits, MarketId } from "../../core/units.js";
import type { MarketRules, VenueRules } from "../../exchange/records.js";
import { HEDGE_DECIMALS, type HedgeContract, type HedgeUnits } from "../hedge-venue.js";

const PAPER_DECIMALS = 18;

/**
 * The contracts of an exchange's markets, on the markets' own grids.
 * @throws ConfigError for a market that the exchange does not have, or whose assets it does not
 * name; or if its credit is finer than {@link HedgeUnits}
 */
export function toHedgeContracts(
  rules: VenueRules,
  symbols: readonly MarketId[],
): ReadonlyMap<string, HedgeContract> {
  if (rules.creditDecimals > HEDGE_DECIMALS)
    throw new ConfigError("the exchange's credit is finer than a hedge is counted", {
      field: "creditDecimals",
      value: rules.creditDecimals,
      expected: `at most ${HEDGE_DECIMALS}`,
    });
  return new Map(symbols.map((symbol) => [symbol, toContract(symbol, rules)]));
}

/** Converts credit of an exchange to the units of hedges, exactly. */
export function toHedgeUnits(credit: CreditUnits, creditDecimals: number): HedgeUnits {
  return credit * 10n ** BigInt(HEDGE_DECIMALS - creditDecimals);
}

function toContract(symbol: MarketId, rules: VenueRules): HedgeContract {
  const market: MarketRules | undefined = rules.markets[symbol];
  if (market === undefined)
    throw new ConfigError("the exchange has no such market", {
      field: "symbol",
      value: symbol,
      expected: `one of ${Object.keys(rules.markets).join(", ")}`,
    });
  const { baseAsset, quoteAsset } = market;
  if (baseAsset === undefined || quoteAsset === undefined)
    throw new ConfigError("the exchange does not name the assets of the market", {
      field: "symbol",
      value: symbol,
      expected: "a market with a base and a quote asset",
    });
  return {
    symbol,
    instrument: new Instrument({
      marketId: symbol,
      tickSize: market.tickSize,
      stepSize: market.stepSize,
      creditDecimals: HEDGE_DECIMALS,
      paperDecimals: PAPER_DECIMALS,
    }),
    baseAsset,
    quoteAsset,
    minLots: market.minLots,
    maxLots: market.maxLots,
    // A smaller order has to be built by the exchange, which then chooses its number.
    minNotional: toHedgeUnits(rules.waiveGasFeeMinimumQuote, rules.creditDecimals),
  };
}
