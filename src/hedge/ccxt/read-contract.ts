import type { z } from "zod";
import { findNearestName } from "../../core/config/find-nearest-name.js";
import { ConfigError, MarketwrightError } from "../../core/errors.js";
import { decimalToScaled, Instrument } from "../../core/instrument.js";
import { HEDGE_DECIMALS } from "../hedge-venue.js";
import { readShape } from "./hedge-queries.js";
import type { ListedContract } from "./usdm-decoder.js";
import {
  ccxtMarketShape,
  usdmLotFilterShape,
  usdmNotionalFilterShape,
  usdmPriceFilterShape,
} from "./usdm-records.js";

type CcxtMarket = z.output<typeof ccxtMarketShape>;

const PAPER_DECIMALS = 18;

/**
 * Reads one contract from the markets of ccxt, by the exchange's own filters.
 * @param field of the symbol in the bot's file
 * @throws ConfigError if there is none, or one that cannot hedge
 */
export function readContract(
  symbol: string,
  markets: Readonly<Record<string, unknown>>,
  field: string,
): ListedContract {
  const refuse = (summary: string, expected: string): ConfigError =>
    new ConfigError(summary, { field, value: symbol, expected });
  if (isInverse(symbol))
    throw refuse(
      "is an inverse contract, whose size is counted in its quote asset",
      "a linear contract such as BTC/USDT:USDT",
    );
  if (!Object.hasOwn(markets, symbol)) {
    const near = findNearestName(symbol, Object.keys(markets));
    throw refuse(
      "is not a contract of this exchange",
      near === undefined ? "its name in ccxt, such as BTC/USDT:USDT" : `${near} perhaps`,
    );
  }
  const market = readShape(ccxtMarketShape, markets[symbol], symbol);
  if (market.linear !== true || market.settle !== market.quote)
    throw refuse("is not a linear contract", "a linear contract such as BTC/USDT:USDT");
  if (Number(market.contractSize ?? 1) !== 1)
    throw refuse(
      `counts its size in contracts of ${market.contractSize}`,
      "a contract of 1 unit of the base asset",
    );
  if (market.info.contractType !== "PERPETUAL")
    throw refuse(`is a contract of type ${market.info.contractType}`, "a perpetual contract");
  if (market.info.status !== "TRADING")
    throw refuse(`is ${market.info.status} at the exchange`, "a contract that is TRADING");
  try {
    return toContract(symbol, market);
  } catch (error) {
    if (!(error instanceof MarketwrightError)) throw error;
    throw refuse(`has rules that cannot be used: ${error.message}`, "another contract");
  }
}

function toContract(symbol: string, market: CcxtMarket): ListedContract {
  const { tickSize } = filter(market, "PRICE_FILTER", usdmPriceFilterShape);
  const { minQty, maxQty, stepSize } = filter(market, "LOT_SIZE", usdmLotFilterShape);
  const hasLeast = market.info.filters.some(({ filterType }) => filterType === "MIN_NOTIONAL");
  const least = hasLeast ? filter(market, "MIN_NOTIONAL", usdmNotionalFilterShape).notional : "0";
  const instrument = new Instrument({
    marketId: symbol,
    tickSize,
    stepSize,
    creditDecimals: HEDGE_DECIMALS,
    paperDecimals: PAPER_DECIMALS,
  });
  if (instrument.creditDenominator !== 1n)
    throw new MarketwrightError("one tick of one lot is worth less than money can be counted in", {
      value: `${tickSize} times ${stepSize}`,
      expected: `at most ${HEDGE_DECIMALS} decimals`,
    });
  return {
    id: market.id,
    symbol,
    instrument,
    baseAsset: market.base,
    quoteAsset: market.quote,
    minLots: instrument.parseAmount(minQty),
    maxLots: instrument.parseAmount(maxQty),
    minNotional: decimalToScaled(least, HEDGE_DECIMALS, "MIN_NOTIONAL"),
  };
}

function filter<Schema extends z.ZodType>(
  { info }: CcxtMarket,
  name: string,
  shape: Schema,
): z.output<Schema> {
  return readShape(
    shape,
    info.filters.find(({ filterType }) => filterType === name),
    name,
  );
}

/** True for a symbol of ccxt that settles in its base asset: `BTC/USD:BTC`. */
function isInverse(symbol: string): boolean {
  const [base, rest = ""] = symbol.split("/");
  return rest.split(":")[1]?.split("-")[0] === base;
}
