import { ConfigError } from "../core/errors.js";
import type { MarketView } from "../market/view.js";
import type { QuotesIntent } from "./intent.js";
import { shapeQuotes } from "./shape-quotes.js";
import { baseToLots } from "./size-lots.js";

/** Options of {@link quoteAround}. */
export interface QuoteAroundOptions {
  /** Half of the spread, in basis points of the fair price. */
  readonly halfSpreadBps: number;
  /** Size of each side in base units; rounded down to the market's step. */
  readonly sizeBase: number;
}

/**
 * One bid and one ask around a fair price: the complete reply of a simple strategy to a view. The
 * bid is rounded down and the ask up to the tick. Neither crosses the touch (net of our own
 * orders), and no size would take the position past the market's limit. Every price or size that
 * was limited is named in `reason.clamps`.
 * @param fairTicks the fair price in fractional ticks, like every price of a view: `view.midTicks`,
 * `view.microPrice`
 * @throws ConfigError when the fair price, the spread or the size is not a positive number
 * @example
 * ```ts
 * import { Instrument, type Level, type MarketView, quoteAround } from "marketwright";
 *
 * const bids: readonly Level[] = [{ ticks: 9999, lots: 100 }];
 * const asks: readonly Level[] = [{ ticks: 10_001, lots: 100 }];
 * // The fields of a view that this function reads.
 * const view = {
 *   marketId: "btcusdc",
 *   instrument: new Instrument({
 *     marketId: "btcusdc",
 *     tickSize: "0.1",
 *     stepSize: "0.001",
 *     creditDecimals: 6,
 *     paperDecimals: 18,
 *   }),
 *   sequence: 1,
 *   bids,
 *   asks,
 *   positionLots: 0,
 *   maxPositionLots: 2000,
 * } as MarketView;
 * const { quotes } = quoteAround(view, 10_000, { halfSpreadBps: 5, sizeBase: 0.01 });
 * quotes.map(({ ticks }) => ticks); // => [9995, 10_005]
 * quotes.map(({ lots }) => lots); // => [10, 10]
 * ```
 */
export function quoteAround(
  view: MarketView,
  fairTicks: number,
  { halfSpreadBps, sizeBase }: QuoteAroundOptions,
): QuotesIntent {
  assertPositive(fairTicks, "fairTicks");
  assertPositive(halfSpreadBps, "halfSpreadBps");
  assertPositive(sizeBase, "sizeBase");
  const halfSpreadTicks = (fairTicks * halfSpreadBps) / 10_000;
  const lots = baseToLots(sizeBase, view.instrument);
  const { quotes, clamps } = shapeQuotes(view, [
    {
      bidTicks: fairTicks - halfSpreadTicks,
      askTicks: fairTicks + halfSpreadTicks,
      bidLots: lots,
      askLots: lots,
    },
  ]);
  return {
    kind: "quotes",
    marketId: view.marketId,
    viewSequence: view.sequence,
    quotes,
    reason: {
      fairTicks,
      reservationTicks: fairTicks,
      halfSpreadTicks,
      terms: {},
      clamps: lots >= 1 ? clamps : ["size: below one lot"],
    },
  };
}

function assertPositive(value: number, field: string): void {
  if (!(value > 0 && value < Number.POSITIVE_INFINITY)) {
    throw new ConfigError("cannot be quoted with", {
      field,
      value,
      expected: "a number above zero",
    });
  }
}
