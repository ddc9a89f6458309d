import type { CreditUnits, Lots, Ms } from "../core/units.js";

/** Limits on shares are kept in whole millionths. */
export const MILLION = 1_000_000n;

/** The whole millionths of a share, rounded down: a limit never becomes wider. */
export function toMillionths(share: number): bigint {
  return BigInt(Math.floor(share * 1_000_000));
}

/** Limits of one market. One that is undefined does not bind. */
export interface MarketLimits {
  /** Largest |position| in the worst case, in lots. */
  readonly maxPositionLots?: Lots | undefined;
  /** Largest single order, in lots. */
  readonly maxOrderLots?: Lots | undefined;
  /** Largest |position| in the worst case, valued at the worse of the mark and the orders' prices, in credit units. */
  readonly maxNotional?: CreditUnits | undefined;
  /** Most orders of the bot that may still fill in this market. */
  readonly maxOpenOrders?: number | undefined;
  /** Largest sum of price times size over the bot's orders that may still fill, both sides, in credit units. */
  readonly maxOpenNotional?: CreditUnits | undefined;
  /** An order further than this from the mark, either way, is not sent. Basis points of the mark. */
  readonly maxDistanceFromMarkBps?: number | undefined;
}

/** Limits of the whole account, over all its markets. One that is undefined does not bind. */
export interface AccountLimits {
  /** Largest sum of the markets' worst-case notionals, in credit units. */
  readonly maxNotional?: CreditUnits | undefined;
  /** Most orders of the bot that may still fill, over all markets. */
  readonly maxOpenOrders?: number | undefined;
  /** Largest worst-case notional as a multiple of the worst-case net value. */
  readonly maxLeverage?: number | undefined;
  /** Largest share of the worst-case net value that the initial margin of the worst case may use: above 0, at most 1. */
  readonly maxMarginUseFraction?: number | undefined;
  /** Largest share of the exchange's `availableCreditAmounts` of a market and side that orders may use: above 0, at most 1. Default 1. */
  readonly maxCreditUseFraction?: number | undefined;
  /** Smallest distance of the mark to the liquidation price of the worst case, in basis points of the mark. */
  readonly minLiquidationDistanceBps?: number | undefined;
}

/** What counts as too old, too far or too often to trade on. */
export interface GuardLimits {
  /** Oldest book that quotes may stand on. */
  readonly maxBookAgeMs: Ms;
  /** Longest time since the account was last confirmed by the exchange. */
  readonly maxAccountAgeMs: Ms;
  /** Largest |clock offset| that can still be trusted: the signature window, less what a request takes. */
  readonly maxClockOffsetMs: Ms;
  /** Longest time since the clock offset was measured. */
  readonly maxClockAgeMs: Ms;
  /** Longest mean lateness of the bot's own turns; undefined where it does not bind. */
  readonly maxLoopLagMs: Ms | undefined;
  /** Longest time since exchangeInfo was last read. */
  readonly maxRulesAgeMs: Ms;
  /** A market with more refused places than this in a minute is halted. */
  readonly maxRejectsPerMinute: number;
}
