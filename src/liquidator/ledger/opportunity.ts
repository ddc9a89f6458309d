import type { CreditUnits, Hex, Lots, MarketId, Ms, PaperUnits } from "../../core/units.js";
import type { RefusalReason } from "../plan/takeover-plan.js";

/** The outcome of an opportunity; `open` until it ends. */
export type OpportunityOutcome =
  | "open"
  /** Our transaction is final and the position is ours. */
  | "won"
  /** Another account took it over. */
  | "lost"
  /** It disappeared while the best plan would have earned too little. */
  | "unprofitable"
  /** Our transaction reverted on the chain; gas was paid. */
  | "reverted"
  /**
   * Nothing could be done (no margin, no book, a stale price), or our transaction was never sent or
   * was cancelled.
   */
  | "refused"
  /** The account became safe again without a takeover. */
  | "cured"
  /** A dry run had done everything but send before it disappeared. */
  | "dry-run";

/** Stages of an opportunity that have a time. */
export type OpportunityStage =
  | "seen"
  | "confirmed"
  | "planned"
  | "simulated"
  | "sent"
  | "mined"
  | "final"
  | "unwound";

/** The account that was faster, as far as the chain shows. */
export interface Rival {
  readonly winner: Hex;
  /** Block of the rival's transaction. */
  readonly blockNumber: number;
  /**
   * Blocks between the rival's transaction and ours, or the block in which we saw it; 0 in the same
   * block.
   */
  readonly blocksBefore: number;
  /** The rival's tip, wei per gas above the base fee. */
  readonly tipWei: bigint;
}

/** The exact result of a takeover, from its receipt. */
export interface TakeoverResult {
  /**
   * Identifies the transaction in its block. The same transaction in another block is another
   * takeover.
   */
  readonly id: string;
  /**
   * Identifies the transaction, whichever replacement was mined; absent in entries of older
   * versions.
   */
  readonly jobId?: string;
  readonly hash: Hex;
  readonly blockNumber: number;
  readonly paper: PaperUnits;
  readonly credit: CreditUnits;
  /** Whole lots to sell. */
  readonly lots: Lots;
  /**
   * Less than a lot that came with it, because a rival left a fraction of a lot. It stays with the
   * account, unsold.
   */
  readonly odd?: SubLotRemainder;
}

/** A remainder that is too small for an order. */
export interface SubLotRemainder {
  readonly paper: PaperUnits;
  /**
   * At the mark price of the takeover, signed as `paper`; undefined when there was no mark. The
   * profit then excludes it.
   */
  readonly markCredit: CreditUnits | undefined;
}

/** The takeover that was decided on. */
export interface IntendedTakeover {
  readonly jobId: string;
  readonly requestPaper: PaperUnits;
  readonly expectCredit: CreditUnits;
  readonly expectedProfitQuote: CreditUnits;
  readonly worstProfitQuote: CreditUnits;
  readonly maxCostWei: bigint;
  /** The cheaper way to unwind it, by the plan; absent in entries of older versions. */
  readonly unwindWay?: "here" | "hedge";
}

/** The value of a takeover at one instant, whether or not it was sent. Credit units. */
export interface AssessedTakeover {
  /** Block of the state that it was computed from. */
  readonly blockNumber: number;
  /** Signed like the victim's position. */
  readonly requestPaper: PaperUnits;
  /** The acquired paper at the mark, and its credit. */
  readonly discountQuote: CreditUnits;
  readonly takerFeeQuote: CreditUnits;
  /** Shortfall of the sale against the mark. */
  readonly slippageQuote: CreditUnits;
  readonly gasQuote: CreditUnits;
  /** Discount less fee, slippage and gas. */
  readonly profitQuote: CreditUnits;
}

/** The cause for leaving an opportunity alone, for programs; `reason` is the sentence. */
export type SkipCause = RefusalReason | "unprofitable" | "paused" | "in-flight";

/** Progress of selling an acquired position. */
export interface UnwindProgress {
  readonly state: string;
  readonly remainingLots: Lots;
  /**
   * Credit of the takeover and of the sale, less its fees, plus the remainder at the worse of the
   * exchange's mark and the chain's.
   */
  readonly earnedCredit: CreditUnits;
  /** Source of that mark; absent when nothing remains. */
  readonly restBy?: "exchange" | "chain";
  /** How it is unwound, where the market has a hedge. */
  readonly decision?: {
    /** Sold here; laid off at the hedge venue; or sold here and hedged meanwhile. */
    readonly way: "here" | "hedge" | "both";
    readonly venue: string;
    readonly why: string;
    /** Costs of both ways at the decision; absent if not known. */
    readonly hereCost?: CreditUnits;
    readonly layOffCost?: CreditUnits;
  };
}

/**
 * One position of one account in danger, from its first report to its outcome. Plain JSON except
 * for bigints.
 */
export interface Opportunity {
  readonly id: string;
  readonly victim: Hex;
  readonly perp: Hex;
  readonly marketId: MarketId;
  readonly outcome: OpportunityOutcome;
  /** Wall-clock time of each stage reached. */
  readonly atMs: Readonly<Partial<Record<OpportunityStage, Ms>>>;
  /** The newest known block when it was first reported. */
  readonly seenBlock?: number;
  /** Block of the first confirmation. */
  readonly confirmedBlock?: number;
  /** Why it was refused, reverted, or is left alone for now. */
  readonly reason?: string;
  /** It would be taken, but waits for takeovers in flight or for a temporary pause. */
  readonly isWaiting?: boolean;
  /** Amount by which the newest plan falls short of the least profit, while it does. */
  readonly shortOfQuote?: CreditUnits;
  readonly intended?: IntendedTakeover;
  /**
   * The newest assessment: of the plan that was sent, or of the best one that was not. Of a refusal
   * by the own margin or a limit it is what the takeover would have brought without. Absent if
   * nothing could be assessed, and in entries of older versions.
   */
  readonly assessed?: AssessedTakeover;
  /** Absent once it is planned, and in entries of older versions. */
  readonly skippedFor?: SkipCause;
  /** Credit units of one ether when it was planned; absent in entries of older versions. */
  readonly creditPerEth?: CreditUnits;
  /** A dry run has rehearsed it once, everything but sending, and the chain did not reject it. */
  readonly isRehearsed?: boolean;
  /** Tip of the newest transaction, wei per gas, and the number of transactions sent. */
  readonly tipWei?: bigint;
  readonly attempts?: number;
  readonly takenOver?: TakeoverResult;
  /** Id that the bot was given; reverted if its block is reorganised away. */
  readonly inheritedId?: string;
  readonly lostTo?: Rival;
  /** Cost of our transactions, in wei and in credit at the ether price of that time. */
  readonly gasWei?: bigint;
  readonly gasQuote?: CreditUnits;
  readonly unwound?: UnwindProgress;
  /**
   * Profit so far: the takeover, its sale and a sub-lot remainder at its mark, less gas. Set only
   * if it cost or brought something.
   */
  readonly profitQuote?: CreditUnits;
}
