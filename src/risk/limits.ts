import type { CreditUnits, Lots, Ms } from "../core/units.js";

/** Scale of limits that are shares: whole millionths. */
export const MILLION = 1_000_000n;

/** A share in whole millionths, rounded down, so that a limit never becomes wider. */
export function toMillionths(share: number): bigint {
  return BigInt(Math.floor(share * 1_000_000));
}

/** Limits of one market. An undefined limit is not enforced. */
export interface MarketLimits {
  /** Largest |position| in the worst case, in lots. */
  readonly maxPositionLots?: Lots | undefined;
  /** Largest single order, in lots. */
  readonly maxOrderLots?: Lots | undefined;
  /**
   * Largest |position| in the worst case, valued at the worse of the mark and the orders' prices,
   * in credit units.
   */
  readonly maxNotional?: CreditUnits | undefined;
  /** Maximum number of the bot's orders that may still fill in this market. */
  readonly maxOpenOrders?: number | undefined;
  /**
   * Largest sum of price times size of the bot's orders that may still fill, both sides, in credit
   * units.
   */
  readonly maxOpenNotional?: CreditUnits | undefined;
  /**
   * Largest distance of an order from the mark, in either direction, in basis points of the mark.
   */
  readonly maxDistanceFromMarkBps?: number | undefined;
}

/** Limits of the whole account, over all its markets. An undefined limit is not enforced. */
export interface AccountLimits {
  /** Largest sum of the markets' worst-case notionals, in credit units. */
  readonly maxNotional?: CreditUnits | undefined;
  /** Maximum number of the bot's orders that may still fill, over all markets. */
  readonly maxOpenOrders?: number | undefined;
  /** Largest worst-case notional as a multiple of the worst-case net value. */
  readonly maxLeverage?: number | undefined;
  /**
   * Largest share of the worst-case net value that the worst case may use as initial margin: above
   * 0, at most 1.
   */
  readonly maxMarginUseFraction?: number | undefined;
  /**
   * Largest share of the exchange's `availableCreditAmounts` of a market and side that orders may
   * use: above 0, at most 1. Default 1.
   */
  readonly maxCreditUseFraction?: number | undefined;
  /**
   * Smallest distance of the mark to the liquidation price of the worst case, in basis points of
   * the mark.
   */
  readonly minLiquidationDistanceBps?: number | undefined;
}

/** Limits of the guards: maximum ages, clock offset, event-loop lag and rejection rate. */
export interface GuardLimits {
  /** Maximum age of a book to quote on. */
  readonly maxBookAgeMs: Ms;
  /** Longest time since the exchange last confirmed the account. */
  readonly maxAccountAgeMs: Ms;
  /** Largest trusted |clock offset|: the signature window less the duration of a request. */
  readonly maxClockOffsetMs: Ms;
  /** Longest time since the last measurement of the clock offset. */
  readonly maxClockAgeMs: Ms;
  /** Longest mean event-loop lag of the bot; undefined disables the guard. */
  readonly maxLoopLagMs: Ms | undefined;
  /** Longest time since the last read of exchangeInfo. */
  readonly maxRulesAgeMs: Ms;
  /** Rejected orders per minute above which a market is halted. */
  readonly maxRejectsPerMinute: number;
}
