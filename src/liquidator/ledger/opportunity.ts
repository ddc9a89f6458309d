import type { CreditUnits, Hex, Lots, MarketId, Ms, PaperUnits } from "../../core/units.js";

/** How an opportunity ended; `open` until it has. */
export type OpportunityOutcome =
  | "open"
  /** Our transaction is final and the position ours. */
  | "won"
  /** Somebody else took it over. */
  | "lost"
  /** It went away while the best plan would have earned too little. */
  | "unprofitable"
  /** Our transaction was undone on the chain; gas was paid. */
  | "reverted"
  /** Nothing could be done: no margin, no book, a stale price; or our transaction was never sent, or was cancelled. */
  | "refused"
  /** The account became safe again without anybody taking it over. */
  | "cured"
  /** A dry run had done all but send before it went away. */
  | "dry-run";

/** Steps of an opportunity that have an instant. */
export type OpportunityStage =
  | "seen"
  | "confirmed"
  | "planned"
  | "simulated"
  | "sent"
  | "mined"
  | "final"
  | "unwound";

/** Who was faster, as far as the chain tells. */
export interface Rival {
  readonly winner: Hex;
  /** Of the chain that the rival's transaction is in. */
  readonly blockNumber: number;
  /** Blocks by which it was before ours, or before the block in which we saw it; 0 in the same. */
  readonly blocksBefore: number;
  /** What it paid, wei per gas above the base fee. */
  readonly tipWei: bigint;
}

/** What a takeover brought, to the unit, from its receipt. */
export interface TakeoverResult {
  /** Of the transaction in its block: the same transaction in another block is another takeover. */
  readonly id: string;
  /** Of the transaction, whichever of its replacements was mined; absent of what a version before this wrote. */
  readonly jobId?: string;
  readonly hash: Hex;
  readonly blockNumber: number;
  readonly paper: PaperUnits;
  readonly credit: CreditUnits;
  /** What of it is sold: whole lots. */
  readonly lots: Lots;
  /** Less than a lot that came with it, where a rival left no whole number of lots. It stays with the account, unsold. */
  readonly odd?: SubLotRemainder;
}

/** A rest that no order can hold. */
export interface SubLotRemainder {
  readonly paper: PaperUnits;
  /** At the mark of the takeover's moment, signed as `paper`; undefined when there was none: the profit then lacks it. */
  readonly markCredit: CreditUnits | undefined;
}

/** What was decided to be sent. */
export interface IntendedTakeover {
  readonly jobId: string;
  readonly requestPaper: PaperUnits;
  readonly expectCredit: CreditUnits;
  readonly expectedProfitQuote: CreditUnits;
  readonly worstProfitQuote: CreditUnits;
  readonly maxCostWei: bigint;
}

/** What became of the position that was taken over. */
export interface UnwindProgress {
  readonly state: string;
  readonly remainingLots: Lots;
  /** Credit of the takeover, of the sale, less its fees, and what remains at the worse of the exchange's mark and the chain's. */
  readonly earnedCredit: CreditUnits;
  /** Whose mark that was; absent when nothing remains. */
  readonly restBy?: "exchange" | "chain";
}

/** One position of one account in danger, from the first word of it to its end. Plain JSON but for its bigints. */
export interface Opportunity {
  readonly id: string;
  readonly victim: Hex;
  readonly perp: Hex;
  readonly marketId: MarketId;
  readonly outcome: OpportunityOutcome;
  /** Wall time of each stage reached. */
  readonly atMs: Readonly<Partial<Record<OpportunityStage, Ms>>>;
  /** The newest block that was known when it was first heard of. */
  readonly seenBlock?: number;
  /** Block of the first confirmation. */
  readonly confirmedBlock?: number;
  /** In words: why it was refused, reverted, or is left alone for now. */
  readonly reason?: string;
  /** It would be taken, and waits: for others that are under way, or for a pause that passes. */
  readonly isWaiting?: boolean;
  /** Set while the newest plan earns too little: by how much. */
  readonly shortOfQuote?: CreditUnits;
  readonly intended?: IntendedTakeover;
  /** A dry run has done all but send, once, and the chain did not refuse it. */
  readonly isRehearsed?: boolean;
  /** Tip of the newest transaction, wei per gas; how many were sent. */
  readonly tipWei?: bigint;
  readonly attempts?: number;
  readonly takenOver?: TakeoverResult;
  /** That the bot was told of: undone with its block. */
  readonly inheritedId?: string;
  readonly lostTo?: Rival;
  /** What our transactions cost, and the same in credit at the price of ether of that moment. */
  readonly gasWei?: bigint;
  readonly gasQuote?: CreditUnits;
  readonly unwound?: UnwindProgress;
  /** What was earned by now: the takeover with its sale and an odd rest at its mark, less gas. Only of one that cost or brought something. */
  readonly profitQuote?: CreditUnits;
}
