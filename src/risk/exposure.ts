import { ceilDivide, larger } from "../core/bigints.js";
import type { Instrument } from "../core/instrument.js";
import type { CreditUnits, Hex, Lots, MarketId, Side, SideLots, Ticks } from "../core/units.js";
import type { MarketLimits } from "./limits.js";

/** An order that may still become position: the bot's own or a manual one. The account's own order satisfies it. */
export interface ExposureOrder {
  readonly hash: Hex;
  readonly side: Side;
  /** Worst accepted price. */
  readonly ticks: Ticks;
  /** What may still fill in the worst case. */
  readonly mayFillLots: Lots;
  /** What may already have filled without our having been told. */
  readonly unreportedLots?: Lots;
  readonly phase: string;
}

/** One market in which the account has, or may come to have, a position. */
export interface MarketExposure {
  readonly marketId: MarketId;
  readonly instrument: Instrument;
  /** Signed: pending and filled (docs/ideas/design.md#matched-is-not-filled). */
  readonly positionLots: Lots;
  /**
   * Trades in {@link positionLots} whose settlement may still fail, by side. In the worst case those of one side settle and those of the other fail.
   * None where it is left out.
   */
  readonly unsettledLots?: SideLots;
  /** Mark price in ticks, fractional; NaN when none is known, and then only reducing orders pass. */
  readonly markTicks: number;
  /** The bot's own orders that may still become position, whatever their phase. The order that is judged is not among them. */
  readonly orders: readonly ExposureOrder[];
  /** Manual orders of the account: they count in every worst case of position and margin, not in the bot's own order counts. */
  readonly foreignOrders: readonly ExposureOrder[];
  /**
   * Takeovers that are planned or sent, and neither held nor gone: each may become position, or may not, at full size. They count in every worst
   * case of position and margin, and in no count of orders.
   */
  readonly pendingTakeovers?: readonly ExposureOrder[];
  /** Of `exchangeInfo.liquidationLeverage`: maintenance margin in millionths of the notional. See {@link toMarginRatePpm}. */
  readonly maintenancePpm: number;
  /** Of `exchangeInfo.maxLeverage`: initial margin in millionths of the notional. */
  readonly initialPpm: number;
  /** The worse of maker and taker rate, in millionths; a rebate counts as 0. */
  readonly feePpm: number;
  /** `availableCreditAmounts` of this market; undefined when the exchange has not told. */
  readonly availableCredit: { readonly buy: CreditUnits; readonly sell: CreditUnits } | undefined;
  /** Empty for a market that is not the bot's. */
  readonly limits: MarketLimits;
}

/** The account as the exchange last told it, with what is under way. */
export interface AccountExposure {
  readonly markets: ReadonlyMap<MarketId, MarketExposure>;
  /** Net value of the account at the marks, in credit units. */
  readonly netValue: CreditUnits;
}

/** The margin rate that belongs to a leverage, in millionths, rounded up: 20 -> 50000. Infinity-safe: a leverage of 0 or less is 1. */
export function toMarginRatePpm(leverage: number | string): number {
  const value = Number(leverage);
  return Number.isFinite(value) && value > 0
    ? Math.min(1_000_000, Math.ceil(1_000_000 / value))
    : 1_000_000;
}

/** The worse of two fee rates (scaled by 10^18, signed) in millionths, rounded up; a rebate is no income to count on. */
export function worstFeePpm(makerFeeRate: bigint, takerFeeRate: bigint): number {
  const worse = larger(makerFeeRate, takerFeeRate);
  return worse <= 0n ? 0 : Number(ceilDivide(worse, 10n ** 12n));
}
