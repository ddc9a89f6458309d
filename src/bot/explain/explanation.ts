import type { MarketId, Ms } from "../../core/units.js";
import type { TargetState } from "../../executor/plan-target.js";
import type { ReferenceStatus } from "../status/reference-status.js";
import type { UnwindDecisionStatus } from "../status/unwind-status.js";
import type { ExplainedPlan } from "./explain-inventory-plan.js";

/**
 * One order that the bot would have. Prices and amounts are decimal strings as sent to the
 * exchange.
 */
export interface ExplainedQuote {
  readonly side: "BUY" | "SELL";
  /** 0 is the innermost. */
  readonly level: number;
  readonly price: string;
  readonly amountBase: string;
  /** From the mid of the book without our own orders, away from it; negative beyond the mid. */
  readonly fromMidBps: number;
  /**
   * `place`: would be placed now. `keep`: rests already. `withheld`: is desired, but would not be
   * placed now.
   */
  readonly fate: "place" | "keep" | "withheld";
  readonly why: string;
  /**
   * The quote that a kept order serves, where it differs from the order within the tolerance: the
   * reason's figures are about this one.
   */
  readonly wanted?: { readonly price: string; readonly amountBase: string };
  /** Cost of a complete fill as maker; negative is a rebate. */
  readonly makerFeeQuote: string;
  readonly makerFeeBps: number;
  /**
   * The maker fee at which a fill at the strategy's fair value earns nothing; undefined without a
   * fair value.
   */
  readonly breakEvenFeeBps: number | undefined;
}

/** Why the quotes have these prices, in prices also for a strategy that calculates in ticks. */
export interface ExplainedReason {
  readonly fairQuote: number | undefined;
  readonly reservationQuote: number | undefined;
  readonly halfSpreadBps: number | undefined;
  readonly terms: Readonly<Record<string, number>>;
  readonly clamps: readonly string[];
  /** Views since the one that the quotes answered; absent if that is of the book shown. */
  readonly viewsBehind?: number;
}

/** Worst case of a market: every quote of one side fills and none of the other. */
export interface ExplainedWorst {
  /** Signed. */
  readonly longBase: string;
  readonly shortBase: string;
  readonly notionalQuote: string;
  readonly initialMarginQuote: string;
  readonly maintenanceQuote: string;
  /**
   * How far the mark may move against the worse side, the other markets at their worst; undefined
   * without a position or a known balance.
   */
  readonly toLiquidationBps: number | undefined;
  readonly liquidationPriceQuote: number | undefined;
}

/** ORDER tokens per minute, each figure for decisions that all move every quote. */
export interface ExplainedTokens {
  /** Orders that the market would have. */
  readonly orders: number;
  /** Cancel, place and, for a server-built order, build. */
  readonly tokensARequote: number;
  /** Only one decision each `everyMs`. */
  readonly byTimerPerMinute: number;
  /**
   * One decision each `minGapMs`, as with a touch that never rests. Undefined: one for every frame.
   */
  readonly worstPerMinute: number | undefined;
  /** GTT quotes only: the cost of renewals if nothing else moves them. */
  readonly renewalsPerMinute: number;
}

/**
 * Takeovers of a market that are being unwound. Amounts are signed decimal strings of base,
 * instants exchange time.
 */
export interface ExplainedUnwinding {
  /** State of the unwinding, and the reason. */
  readonly state: TargetState;
  readonly why: string;
  readonly remainingBase: string;
  /**
   * Most that the trajectories allow to be held now. If less is allowed than remains, the excess is
   * behind schedule.
   */
  readonly allowedBase: string;
  /**
   * When the next slice is sent, or may be sent; undefined if none will, or nothing may be traded
   * now.
   */
  readonly nextSliceAtMs: Ms | undefined;
  /** The oldest first. */
  readonly takeovers: readonly {
    readonly takeoverId: string;
    readonly remainingBase: string;
    readonly allowedBase: string;
    /** Limit price of every order that unwinds it. */
    readonly worstPrice: string;
    readonly nextStepAtMs: Ms | undefined;
    readonly deadlineMs: Ms;
    /** How it is unwound, where the market has a hedge. */
    readonly decision?: UnwindDecisionStatus;
  }[];
}

/** A takeover of the last day that was laid off at the hedge venue. */
export interface ExplainedLayOff {
  readonly takeoverId: string;
  readonly laidOffBase: string;
  readonly decision: UnwindDecisionStatus;
}

/** The reference price of a market. */
export interface ExplainedReference extends ReferenceStatus {
  /** Possible effects of a wrong price, as sentences. */
  readonly worst: readonly string[];
}

/** One market of an {@link Explanation}. */
export interface ExplainedMarket {
  /** `no strategy`: takeovers here are sold, and nothing else is done. */
  readonly strategy: string;
  /** State of the market; complete once there is a plan of the strategy's newest intent. */
  readonly state: "quoting" | "working a target" | "unwinding" | "not quoting";
  /** Why it does not quote, or not everything that the strategy wants. */
  readonly reasons: readonly string[];
  readonly bestBid: string | undefined;
  readonly bestAsk: string | undefined;
  /** Exact, as a decimal string. */
  readonly midQuote: string | undefined;
  readonly markQuote: string | undefined;
  /** Undefined in a market without `reference`. */
  readonly reference: ExplainedReference | undefined;
  /** Undefined if the account is not registered, or not confirmed yet. */
  readonly positionBase: string | undefined;
  readonly quotes: readonly ExplainedQuote[];
  readonly reason: ExplainedReason | undefined;
  /** Of a strategy that plans a position for each price, such as `grid`; absent for any other. */
  readonly plan?: ExplainedPlan;
  /** Undefined if nothing is being unwound. */
  readonly unwinding: ExplainedUnwinding | undefined;
  /** Takeovers of the last day that were laid off, the oldest first; absent without one. */
  readonly laidOff?: readonly ExplainedLayOff[];
  /** Orders of the bot that would be cancelled. */
  readonly cancels: readonly { readonly hash: string; readonly why: string }[];
  readonly worst: ExplainedWorst;
  readonly tokens: ExplainedTokens;
}

/**
 * Capacity of the own account for takeovers in a market, at the mark. Excludes the discount and the
 * costs of sale and gas.
 */
export interface ExplainedCapacity {
  readonly marketId: MarketId;
  readonly longBase: string;
  readonly shortBase: string;
  /** The limits that bind. */
  readonly boundBy: readonly string[];
  /** True if the book has both sides to sell on. */
  readonly hasBook: boolean;
}

/**
 * One position of an account in danger, and the action that would be taken now. Amounts are decimal
 * strings of quote.
 */
export interface ExplainedCandidate {
  readonly victim: string;
  readonly marketId: MarketId;
  readonly fate:
    | "would be taken over"
    | "earns too little"
    | "waits"
    | "is refused by the chain"
    | "is left alone";
  readonly why: string | undefined;
  /** Signed: the amount that would be requested. */
  readonly amountBase: string | undefined;
  readonly shortOfQuote: string | undefined;
  readonly expectedProfitQuote: string | undefined;
  /** At the worst price and the most gas that it would accept. */
  readonly worstProfitQuote: string | undefined;
}

/** The actions that the liquidator of a bot would take now, and what prevents others. */
export interface ExplainedLiquidator {
  readonly state: "would take over" | "watching" | "nothing can be taken over";
  /** Why no takeover is possible now, whichever account is in danger. */
  readonly reasons: readonly string[];
  /** Other problems meanwhile. */
  readonly troubles: readonly string[];
  readonly dryRun: boolean;
  /** As the bot's file has them. */
  readonly rules: {
    readonly minProfitQuote: string;
    readonly maxNotionalQuote: string | undefined;
    readonly maxGasQuote: string | undefined;
    readonly gasShareFraction: number;
    readonly marginBufferFraction: number;
    readonly takeUpTo: "position" | "cure";
    readonly maxInFlight: number;
  };
  /**
   * The account that would hold the positions, the sender, and its authorisation; undefined if the
   * chain could not be read.
   */
  readonly account: string | undefined;
  readonly sender: string | undefined;
  readonly mayAct: boolean | undefined;
  readonly blockNumber: number | undefined;
  /** Accounts that are remembered. */
  readonly watched: number;
  /** Nearest to liquidation first; a distance of 0 is unsafe, undefined if no price makes it so. */
  readonly nearest: readonly {
    readonly account: string;
    readonly distanceBps: number | undefined;
    readonly discountQuote: string;
  }[];
  /** Gas of one takeover at the present price, including the tip and a rollup's fee. */
  readonly gas:
    | { readonly feePerGasGwei: string; readonly costEth: string; readonly costQuote: string }
    | undefined;
  /** The own account on the chain; free margin is above maintenance margin and its buffer. */
  readonly margin:
    | {
        readonly netValueQuote: string;
        readonly maintenanceQuote: string;
        readonly freeQuote: string;
      }
    | undefined;
  readonly capacity: readonly ExplainedCapacity[];
  readonly candidates: readonly ExplainedCandidate[];
}

/** A value of the bot's file that is allowed but makes little sense in its market as it is now. */
export interface ImplausibleValue {
  /** Path of the value in the file. */
  readonly field: string;
  /** The value, the reference value, and the consequence. */
  readonly text: string;
}

/** The quotes that a bot would place now, why, and their possible consequences. Plain JSON. */
export interface Explanation {
  readonly config: string;
  readonly account: string;
  /** False: the exchange does not know the account yet; balances and margin are unknown. */
  readonly registered: boolean;
  /** True if every market had a plan in time. */
  readonly complete: boolean;
  /** Exchange time. */
  readonly atMs: number;
  /** Halts of the whole account. */
  readonly halts: readonly string[];
  readonly markets: Readonly<Record<MarketId, ExplainedMarket>>;
  /** Values of the file that are allowed and far from what the markets make sensible. */
  readonly implausible: readonly ImplausibleValue[];
  /** Present for a bot that liquidates, if its chain was given. */
  readonly liquidator?: ExplainedLiquidator;
  /** The action at each loss, and the effect on the positions: one line each. */
  readonly losses: readonly string[];
  readonly worst: {
    /** After the fills' own cost; undefined if balances are unknown. */
    readonly netValueQuote: string | undefined;
    readonly notionalQuote: string;
    readonly initialMarginQuote: string;
    readonly maintenanceQuote: string;
    /** Initial margin as a share of the net value. */
    readonly marginUseFraction: number | undefined;
    readonly leverage: number | undefined;
  };
  readonly tokens: {
    readonly limitPerMinute: number;
    /**
     * The guard's share, the last cancel-alls and the cancels of every order that would rest: never
     * spent on places.
     */
    readonly reservedPerMinute: number;
    readonly byTimerPerMinute: number;
    /** Undefined: one decision for every frame. */
    readonly worstPerMinute: number | undefined;
    readonly renewalsPerMinute: number;
    /**
     * True if the worst minute fits the budget. If it does not, places wait, but cancels never do.
     */
    readonly worstFits: boolean;
  };
}
