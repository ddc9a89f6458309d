import { ConfigError } from "../core/errors.js";
import { decimalToScaled, type Instrument } from "../core/instrument.js";
import type { Ms, Side } from "../core/units.js";
import { OrderBook } from "../market/book/order-book.js";
import { createMarketView } from "../market/create-market-view.js";
import type { DecisionCause, MarketView } from "../market/view.js";
import type { ReferenceSnapshot } from "../reference/reference-snapshot.js";
import { amountToLots, plainDecimal, priceToTicks, TEST_INSTRUMENT } from "./test-instrument.js";

/** A level of a book in plain numbers: its price in quote and its amount in base. */
export type PlainLevel = readonly [price: number, amount: number];

/** A view of the market in plain numbers: prices in quote, amounts in base. */
export interface PlainView {
  /** Best first, at least one. */
  readonly bids: readonly PlainLevel[];
  /** Best first, at least one. */
  readonly asks: readonly PlainLevel[];
  /** Signed; 0 if absent. */
  readonly positionBase?: number;
  /** The market's limit; 1 if absent. */
  readonly maxPositionBase?: number;
  /** Net value of the account; 100000 if absent. */
  readonly equityQuote?: number;
  /** Quote; the mid if absent. NaN before the first mark is known. */
  readonly markPrice?: number;
  /** Quote; the mid if absent. */
  readonly indexPrice?: number;
  /** The next funding as a fraction; 0 if absent. */
  readonly fundingRate?: number;
  readonly nextFundingMs?: Ms;
  /** Highest price at which a taker bought since the previous view, in quote; none if absent. */
  readonly tradedHighPrice?: number;
  /** Lowest price at which a taker sold since the previous view, in quote; none if absent. */
  readonly tradedLowPrice?: number;
  /** Base units that traded since the previous view; 0 if absent. */
  readonly tradedBase?: number;
  readonly reference?: ReferenceSnapshot;
  /** `timer` if absent. */
  readonly cause?: DecisionCause;
}

/** The place of a view in a run. */
export interface ViewPlace {
  readonly instrument?: Instrument;
  /** Milliseconds since 1970; {@link TEST_START_MS} if absent. */
  readonly timeMs?: Ms;
  /** Number of the view; 0 if absent. */
  readonly sequence?: number;
}

/** The time at which a test begins that names none: 1 January 2026, UTC. */
export const TEST_START_MS: Ms = 1_767_225_600_000;

/**
 * Makes a frozen view as a bot gives it, from plain numbers.
 * @throws ConfigError for a price off the tick, an amount off the step, an empty or crossed book
 * @example
 * ```ts
 * import { makeView } from "marketwright/testing";
 *
 * const view = makeView({
 *   bids: [[59_999.9, 0.5], [59_999.5, 2]],
 *   asks: [[60_000.1, 1.5]],
 *   positionBase: -0.02,
 * });
 * view.midTicks; // => 600_000
 * view.microPrice; // => 599_999.5
 * view.bids[1]; // => ({ ticks: 599_995, lots: 2000 })
 * view.positionLots; // => -20
 * Object.isFrozen(view); // => true
 * makeView({ bids: [[59_999.95, 0.5]], asks: [[60_000.1, 1.5]] }); // throws ConfigError
 * ```
 */
export function makeView(view: PlainView, place: ViewPlace = {}): MarketView {
  const { instrument = TEST_INSTRUMENT, timeMs = TEST_START_MS, sequence = 0 } = place;
  const book = bookFrom(view, instrument);
  const midTicks = (book.bids.bestTicks + book.asks.bestTicks) / 2;
  const inTicks = (price: number): number => price / instrument.tickQuote;
  const traded = (price: number | undefined, field: string): number =>
    price === undefined ? Number.NaN : priceToTicks(price, instrument, field);
  const { markPrice, indexPrice, equityQuote = 100_000 } = view;
  const equity = plainDecimal(equityQuote, "equityQuote");
  return createMarketView({
    instrument,
    book,
    ownOrders: [],
    state: {
      markTicks: markPrice === undefined ? midTicks : inTicks(markPrice),
      indexTicks: indexPrice === undefined ? midTicks : inTicks(indexPrice),
      fundingRate: view.fundingRate ?? 0,
      nextFundingMs: view.nextFundingMs ?? 0,
      tradedHighTicks: traded(view.tradedHighPrice, "tradedHighPrice"),
      tradedLowTicks: traded(view.tradedLowPrice, "tradedLowPrice"),
      tradedLots: amountToLots(view.tradedBase ?? 0, instrument, "tradedBase"),
    },
    sequence,
    timeMs,
    cause: view.cause ?? "timer",
    depthLevels: Math.max(view.bids.length, view.asks.length),
    positionLots: amountToLots(view.positionBase ?? 0, instrument, "positionBase"),
    equity: decimalToScaled(equity, instrument.creditDecimals, "equityQuote"),
    maxPositionLots: amountToLots(view.maxPositionBase ?? 1, instrument, "maxPositionBase"),
    ...(view.reference === undefined ? {} : { reference: Object.freeze({ ...view.reference }) }),
  }) as MarketView;
}

/** @throws ConfigError for a side that is empty, or a best bid that is not below the best ask */
function bookFrom({ bids, asks }: PlainView, instrument: Instrument): OrderBook {
  const book = new OrderBook();
  const fill = (side: Side, levels: readonly PlainLevel[], field: string): void => {
    if (levels.length === 0)
      throw new ConfigError("is empty: a bot gives no view of a book with one side", {
        field,
        expected: "at least one level, such as [59999.9, 0.5]",
      });
    for (const [at, [price, amount]] of levels.entries()) {
      const name = `${field}.${at}`;
      if (!(amount > 0))
        throw new ConfigError("has no amount", {
          field: name,
          value: amount,
          expected: "base units above 0",
        });
      book.set(side, priceToTicks(price, instrument, name), amountToLots(amount, instrument, name));
    }
  };
  fill("BUY", bids, "bids");
  fill("SELL", asks, "asks");
  if (book.crossed)
    throw new ConfigError("is not below the best ask", {
      field: "bids",
      value: book.bids.bestTicks * instrument.tickQuote,
      expected: `a price below ${book.asks.bestTicks * instrument.tickQuote}`,
    });
  return book;
}
