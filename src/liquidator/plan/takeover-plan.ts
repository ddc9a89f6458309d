import type { CreditUnits, Hex, Lots, MarketId, PaperUnits } from "../../core/units.js";
import type { MarginAccount } from "../../perpetual/margin-account.js";

/** What keeps a takeover from being one lot larger; of a refusal, what leaves no room for any. */
export type TakeoverBound =
  /** The victim's position ends here. */
  | "position"
  /** From here on the victim is safe, and no more is wanted (`PlanRules.takeUpTo`). */
  | "cure"
  /** Beyond here the book pays less than what the liquidation costs. */
  | "depth"
  /** The liquidator's own margin with its buffer, after gas and the unwind's worst slippage. */
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

/** What a takeover is expected to bring, at the mark price and the book that it was planned on. Credit units unless the name says otherwise. */
export interface ExpectedTakeover {
  /** What the liquidator pays (negative) or receives: `liqtorCreditChange`. */
  readonly credit: CreditUnits;
  /** What the victim, not the liquidator, pays to the insurance account. */
  readonly insuranceFee: CreditUnits;
  /** The taken paper at the mark, and its credit: what the discount is worth. */
  readonly discountQuote: CreditUnits;
  /** Of the unwind as taker; 0 for paper that only reduces the own position. */
  readonly takerFeeQuote: CreditUnits;
  /** What getting rid of the paper brings less than the mark: the book walked, and the touch for what only reduces the own position. Negative where it brings more. */
  readonly slippageQuote: CreditUnits;
  /** At the expected gas price. */
  readonly gasQuote: CreditUnits;
  /** discount - taker fee - slippage - gas. */
  readonly profitQuote: CreditUnits;
  /** The same when a part of the unwind fills as maker (`PlanRules.makerShareBps`): what to hope for, never what is decided by. */
  readonly makerFirstProfitQuote: CreditUnits;
}

/** One liquidation that is worth sending: `Perpetual.liquidate(liquidator, victim, requestPaper, expectCredit)`. */
export interface TakeoverPlan {
  readonly kind: "takeover";
  readonly victim: Hex;
  readonly perp: Hex;
  readonly marketId: MarketId;
  /** The block whose state it was made from. */
  readonly blockNumber: number;
  /** Signed like the victim's position, never larger than it was. */
  readonly requestPaper: PaperUnits;
  /** With requestPaper the worst price that still pays minProfitQuote after the highest gas cost: the bound goes to the contract as it is. */
  readonly expectCredit: CreditUnits;
  /** What the transaction may cost at most, gas and fees together, replacements included. */
  readonly maxCostWei: bigint;
  /** The profit at the bound: expectCredit met to the unit, the whole of maxCostWei spent, the unwind at its worst. At least the configured one. */
  readonly worstProfitQuote: CreditUnits;
  /** Signed: what has to be sold (positive) or bought back afterwards; what reduces the own position is none of it. */
  readonly unwindLots: Lots;
  readonly expected: ExpectedTakeover;
  readonly boundBy: TakeoverBound;
  /** Credit units of own margin room that it takes up; negative when it frees some. */
  readonly marginUseQuote: CreditUnits;
  /** What gas and the unwind at its worst may still take from the own account after the takeover: no other takeover may count on it. */
  readonly reservedQuote: CreditUnits;
  readonly ownAfter: MarginAccount;
  /** Undefined when everything was moved to the insurance account as bad debt. */
  readonly victimAfter: MarginAccount | undefined;
  /** Whether the victim is safe afterwards (a closed account is). */
  readonly isCured: boolean;
}

/** A takeover that would be possible and does not pay. */
export interface Unprofitable {
  readonly kind: "unprofitable";
  readonly victim: Hex;
  readonly perp: Hex;
  readonly marketId: MarketId;
  readonly blockNumber: number;
  /** The best size that there was. */
  readonly requestPaper: PaperUnits;
  readonly expected: ExpectedTakeover;
  /** Profit in the worst case that would have had to be accepted, and how much that is below the configured one (above zero). */
  readonly worstProfitQuote: CreditUnits;
  readonly shortOfQuote: CreditUnits;
  /** What kept the size, and with it the profit, down. */
  readonly boundBy: TakeoverBound;
}

/** Why nothing can be taken at all. */
export type RefusalReason =
  | TakeoverBound
  /** The account is safe, or holds nothing. */
  | "safe"
  | "no-position"
  /** A price that the victim's margin depends on is stale: the chain refuses every liquidation of it. */
  | "stale-victim"
  /** The same of the liquidator's own margin. */
  | "stale-own"
  /** The market is not listed, or not one of the exchange's that can be unwound in. */
  | "unlisted-market"
  /** There is no book to unwind on, or nobody on its side. */
  | "no-book"
  /** The position is smaller than a lot. */
  | "less-than-a-lot"
  /** The liquidator already holds positions in as many markets as an account may. */
  | "too-many-positions"
  /** The liquidator's own account. */
  | "own-account"
  /** The chain prices the liquidation otherwise than the published formulas: contracts of another kind. */
  | "other-formulas";

/** A takeover that is not possible. */
export interface Refused {
  readonly kind: "refused";
  readonly victim: Hex;
  /** Absent when it is about the whole account. */
  readonly perp: Hex | undefined;
  readonly blockNumber: number;
  readonly reason: RefusalReason;
  /** In words, for the ledger. */
  readonly detail: string;
}

/** What comes of planning. */
export type TakeoverDecision = TakeoverPlan | Unprofitable | Refused;
