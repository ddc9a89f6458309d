import type { Instrument } from "../core/instrument.js";
import type { CreditUnits, Lots, MarketId, Ms, Ticks } from "../core/units.js";
import type { ReferenceSnapshot } from "../reference/reference-snapshot.js";
import type { Level } from "./book/readable-book.js";

/** The event that triggered a view of the strategy's market. */
export type DecisionCause = "timer" | "touch" | "fill" | "reference" | "start" | "params";

/**
 * The hedge of a market at a decision point: both legs apart, and the contract of the other one.
 */
export interface HedgeView {
  /** Signed position of this exchange alone, in lots of the market. */
  readonly ownPositionLots: Lots;
  /** Signed position at the hedge venue, in lots of the market, rounded towards zero. */
  readonly positionLots: Lots;
  /** Mid of the venue's book in this market's ticks and quote asset; NaN while it is not known. */
  readonly midTicks: number;
  /** Half of the spread there, in this market's ticks; NaN while it is not known. */
  readonly halfSpreadTicks: number;
  /** The next funding rate there, as a fraction; longs pay if it is positive. */
  readonly fundingRate: number;
  /** Instant of the next funding there; 0 before it is known. */
  readonly nextFundingMs: Ms;
  /** Taker fee of the account there, by the bot's file; NaN if it does not have it. */
  readonly takerFeeBps: number;
}

/**
 * An immutable snapshot of one market at a decision point (docs/ideas/design.md#strategies). Depth,
 * mid and micro-price are net of the bot's own orders.
 */
export interface MarketView {
  readonly marketId: MarketId;
  readonly instrument: Instrument;
  /** Grows by one with each view of this market. An intent names the view that it answers. */
  readonly sequence: number;
  /**
   * Exchange time as the bot estimates it. The error is half of the difference between the
   * request's and the response's time in transit.
   */
  readonly timeMs: Ms;
  readonly cause: DecisionCause;
  /** Best first, at most the configured depth. Never empty: a one-sided book yields no view. */
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  /** Fractional: half ticks. */
  readonly midTicks: number;
  /** The touch weighted by the opposite amounts (Gatheral and Oomen), fractional ticks. */
  readonly microPriceTicks: number;
  /**
   * The same as `microPriceTicks` under its short name: every price in a view is in fractional
   * ticks.
   */
  readonly microPrice: number;
  /** The market's reference price; undefined in a market without `reference`. */
  readonly reference?: ReferenceSnapshot | undefined;
  /** Mark price in fractional ticks; NaN before the first one is known. */
  readonly markTicks: number;
  /** Index price in fractional ticks; NaN before the first one is known. */
  readonly indexTicks: number;
  /** The next funding rate as a fraction; longs pay if it is positive. */
  readonly fundingRate: number;
  /** Instant of the next funding; 0 before it is known. */
  readonly nextFundingMs: Ms;
  /**
   * The highest price at which a taker bought in the public trades since the previous view, in
   * ticks. NaN if none did.
   */
  readonly tradedHighTicks: Ticks;
  /** The lowest price at which a taker sold since the previous view. NaN if none did. */
  readonly tradedLowTicks: Ticks;
  /** Lots of all public trades since the previous view, those of the bot included. */
  readonly tradedLots: Lots;
  /** Signed position: pending and filled; in a market with a hedge, that of both legs together. */
  readonly positionLots: Lots;
  /** Undefined in a market without a hedge, and in a backtest or a dry run, which hedge nothing. */
  readonly hedge?: HedgeView | undefined;
  /** Net value of the account in credit units. */
  readonly equity: CreditUnits;
  /**
   * The market's own position limit in lots, from the config. A strategy may normalise its
   * inventory by it.
   */
  readonly maxPositionLots: Lots;
}
