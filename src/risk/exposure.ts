import { ceilDivide, larger } from "../core/bigints.js";
import type { Instrument } from "../core/instrument.js";
import type { CreditUnits, Hex, Lots, MarketId, Side, SideLots, Ticks } from "../core/units.js";
import type { MarketLimits } from "./limits.js";

/**
 * An order that may still become position: the bot's own or a manual one. The account's `OwnOrder`
 * has these fields.
 */
export interface ExposureOrder {
  readonly hash: Hex;
  readonly side: Side;
  /** Worst accepted price. */
  readonly ticks: Ticks;
  /** Lots that may still fill in the worst case. */
  readonly mayFillLots: Lots;
  /** Lots that may have filled without a report of the exchange. */
  readonly unreportedLots?: Lots;
  readonly phase: string;
}

/**
 * A hedge at another venue, in lots of the market. It counts in the limits of the market's
 * position, and in no margin: each venue takes its own for its own leg.
 */
export interface HedgeExposure {
  /** Signed. */
  readonly positionLots: Lots;
  /** Lots that orders there may still buy. */
  readonly mayBuyLots: Lots;
  /** Lots that orders there may still sell. */
  readonly maySellLots: Lots;
}

/** A market in which the account has, or may get, a position. */
export interface MarketExposure {
  readonly marketId: MarketId;
  readonly instrument: Instrument;
  /** Signed: pending and filled (docs/ideas/design.md#matched-is-not-filled). */
  readonly positionLots: Lots;
  /**
   * Trades in {@link positionLots} whose settlement may still fail, by side. In the worst case the
   * trades of one side settle and those of the other fail. Absent means none.
   */
  readonly unsettledLots?: SideLots;
  /** The part of the position that is laid off at another venue; absent without a hedge. */
  readonly hedge?: HedgeExposure | undefined;
  /** Mark price in fractional ticks. NaN before the first mark: then only reducing orders pass. */
  readonly markTicks: number;
  /**
   * The bot's own orders that may still become position, in any phase, without the order that is
   * being checked.
   */
  readonly orders: readonly ExposureOrder[];
  /**
   * Manual orders of the account. They count in every worst case of position and margin, but not in
   * the bot's order counts.
   */
  readonly foreignOrders: readonly ExposureOrder[];
  /**
   * Takeovers that are planned or sent and have no final outcome. Each may become position at its
   * full size. They count in every worst case of position and margin, but in no order count.
   */
  readonly pendingTakeovers?: readonly ExposureOrder[];
  /**
   * Maintenance margin in millionths of the notional, from `exchangeInfo.liquidationLeverage`. See
   * {@link toMarginRatePpm}.
   */
  readonly maintenancePpm: number;
  /** Initial margin in millionths of the notional, from `exchangeInfo.maxLeverage`. */
  readonly initialPpm: number;
  /** The larger of maker and taker fee rate, in millionths. A rebate counts as 0. */
  readonly feePpm: number;
  /** `availableCreditAmounts` of this market; undefined if the exchange has not reported it. */
  readonly availableCredit: { readonly buy: CreditUnits; readonly sell: CreditUnits } | undefined;
  /** Empty for a market that the bot does not trade. */
  readonly limits: MarketLimits;
}

/** The account as last reported by the exchange, with orders in flight. */
export interface AccountExposure {
  readonly markets: ReadonlyMap<MarketId, MarketExposure>;
  /** Net value of the account at the marks, in credit units. */
  readonly netValue: CreditUnits;
}

/**
 * Converts a leverage to its margin rate in millionths, rounded up: 20 -> 50000. A leverage of 0 or
 * less counts as 1.
 */
export function toMarginRatePpm(leverage: number | string): number {
  const value = Number(leverage);
  return Number.isFinite(value) && value > 0
    ? Math.min(1_000_000, Math.ceil(1_000_000 / value))
    : 1_000_000;
}

/**
 * The larger of two fee rates (scaled by 10^18, signed) in millionths, rounded up. A rebate counts
 * as 0.
 */
export function worstFeePpm(makerFeeRate: bigint, takerFeeRate: bigint): number {
  const worse = larger(makerFeeRate, takerFeeRate);
  return worse <= 0n ? 0 : Number(ceilDivide(worse, 10n ** 12n));
}
