import type { CreditUnits, Hex, Lots, MarketId, PaperUnits } from "../../core/units.js";
import type { MarginAccount } from "../../perpetual/margin-account.js";
import type { UnwindEstimate } from "./unwind-estimate.js";

/**
 * The bound that keeps a takeover from being one lot larger or, in a refusal, leaves no room for
 * any.
 */
export type TakeoverBound =
  /** The victim's position is used up. */
  | "position"
  /** The victim is safe from this size on, and no more is wanted (`PlanRules.takeUpTo`). */
  | "cure"
  /** Beyond this size, the book pays less than the liquidation costs; or the hedge venue does. */
  | "depth"
  /**
   * The liquidator's own margin with its buffer, after gas and the worst-case slippage of the
   * unwind.
   */
  | "margin"
  /** `MarketLimits.maxPositionLots`. */
  | "max-position"
  /** `MarketLimits.maxNotional`. */
  | "market-notional"
  /** `AccountLimits.maxNotional`. */
  | "account-notional"
  /** `AccountLimits.maxLeverage`. */
  | "leverage"
  /** `AccountLimits.maxMarginUseFraction`. */
  | "margin-use"
  /** `AccountLimits.minLiquidationDistanceBps`. */
  | "liquidation-distance";

/**
 * Expected result of a takeover at the mark price and book of its plan. Credit units unless the
 * name says otherwise.
 */
export interface ExpectedTakeover {
  /** Credit that the liquidator pays (negative) or receives: `liqtorCreditChange`. */
  readonly credit: CreditUnits;
  /** Fee that the victim, not the liquidator, pays to the insurance account. */
  readonly insuranceFee: CreditUnits;
  /** Value of the discount: the acquired paper at the mark, and its credit. */
  readonly discountQuote: CreditUnits;
  /** Taker fee of the unwind; 0 for paper that only reduces the own position. */
  readonly takerFeeQuote: CreditUnits;
  /**
   * Shortfall of the unwind against the mark: the book walked, the mid for a position that is laid
   * off, and the touch for paper that only reduces the own position. Negative if it brings more.
   */
  readonly slippageQuote: CreditUnits;
  /** Cost of laying the position off at the hedge venue; 0 if it is sold here. */
  readonly layOffQuote: CreditUnits;
  /** At the expected gas price. */
  readonly gasQuote: CreditUnits;
  /** discount - taker fee - slippage - laying off - gas. */
  readonly profitQuote: CreditUnits;
  /**
   * Profit if a part of the unwind fills as maker (`PlanRules.makerShareBps`). It informs, and
   * never decides.
   */
  readonly makerFirstProfitQuote: CreditUnits;
}

/**
 * A liquidation that is worth sending:
 * `Perpetual.liquidate(liquidator, victim, requestPaper, expectCredit)`.
 */
export interface TakeoverPlan {
  readonly kind: "takeover";
  readonly victim: Hex;
  readonly perp: Hex;
  readonly marketId: MarketId;
  /** The block of the state that the plan is based on. */
  readonly blockNumber: number;
  /** Signed like the victim's position, and never larger. */
  readonly requestPaper: PaperUnits;
  /**
   * With requestPaper, the worst price that still earns minProfitQuote after the highest gas cost.
   * The contract enforces this bound.
   */
  readonly expectCredit: CreditUnits;
  /** Largest cost of the transaction, gas and fees together, replacements included. */
  readonly maxCostWei: bigint;
  /**
   * Profit at the bound: expectCredit met exactly, all of maxCostWei spent, and the worst-case
   * unwind. At least the configured minimum.
   */
  readonly worstProfitQuote: CreditUnits;
  /**
   * Signed lots to sell (positive) or buy back afterwards, without the part that reduces the own
   * position.
   */
  readonly unwindLots: Lots;
  /** The cheaper way to unwind: sold on this exchange, or laid off at the hedge venue. */
  readonly unwindWay: UnwindEstimate["way"];
  readonly expected: ExpectedTakeover;
  readonly boundBy: TakeoverBound;
  /** Own margin that it uses, credit units; negative when it frees some. */
  readonly marginUseQuote: CreditUnits;
  /**
   * Credit that gas and the worst-case unwind may still cost the own account. No other takeover may
   * use it.
   */
  readonly reservedQuote: CreditUnits;
  readonly ownAfter: MarginAccount;
  /** Undefined when the whole account moved to the insurance account as bad debt. */
  readonly victimAfter: MarginAccount | undefined;
  /** True if the victim is safe afterwards; a closed account is safe. */
  readonly isCured: boolean;
}

/** A takeover that would be possible but does not pay. */
export interface Unprofitable {
  readonly kind: "unprofitable";
  readonly victim: Hex;
  readonly perp: Hex;
  readonly marketId: MarketId;
  readonly blockNumber: number;
  /** The best available size. */
  readonly requestPaper: PaperUnits;
  readonly expected: ExpectedTakeover;
  /**
   * Worst-case profit of that size, and its shortfall against the configured minimum (above zero).
   */
  readonly worstProfitQuote: CreditUnits;
  readonly shortOfQuote: CreditUnits;
  /** The bound that limited the size, and with it the profit. */
  readonly boundBy: TakeoverBound;
}

/** Reason why nothing can be taken. */
export type RefusalReason =
  | TakeoverBound
  /** The account is safe, or holds nothing. */
  | "safe"
  | "no-position"
  /** A price in the victim's margin is stale: the chain rejects every liquidation of it. */
  | "stale-victim"
  /** A price in the liquidator's own margin is stale. */
  | "stale-own"
  /** The market is not listed, or the exchange does not offer it for the unwind. */
  | "unlisted-market"
  /** There is no book to unwind on, or its side is empty. */
  | "no-book"
  /** The position is smaller than a lot. */
  | "less-than-a-lot"
  /** The liquidator already holds positions in the maximum number of markets. */
  | "too-many-positions"
  /** The liquidator's own account. */
  | "own-account"
  /**
   * The chain's liquidation price differs from the published formulas: the contracts are of another
   * kind.
   */
  | "other-formulas";

/** A takeover that is not possible. */
export interface Refused {
  readonly kind: "refused";
  readonly victim: Hex;
  /** Absent when the reason applies to the whole account. */
  readonly perp: Hex | undefined;
  readonly blockNumber: number;
  readonly reason: RefusalReason;
  /** Description for the ledger. */
  readonly detail: string;
  /**
   * The takeover as it would have been without the own margin and limits, if one of them is the
   * reason.
   */
  readonly missed?: Pick<Unprofitable, "requestPaper" | "expected">;
}

/** The result of planning. */
export type TakeoverDecision = TakeoverPlan | Unprofitable | Refused;
