import type { MarketId, Ms } from "../../core/units.js";
import type { TargetState } from "../../executor/plan-target.js";

/** One order that the bot would have. Prices and amounts are decimal strings of the wire. */
export interface ExplainedQuote {
  readonly side: "BUY" | "SELL";
  /** 0 is the innermost. */
  readonly level: number;
  readonly price: string;
  readonly amountBase: string;
  /** From the mid of the book without our own orders, away from it; negative beyond the mid. */
  readonly fromMidBps: number;
  /**
   * `place`: would be placed now. `keep`: rests already. `withheld`: is wanted, and would not be
   * placed now.
   */
  readonly fate: "place" | "keep" | "withheld";
  readonly why: string;
  /** What a whole fill as maker costs; negative is a rebate. */
  readonly makerFeeQuote: string;
  readonly makerFeeBps: number;
  /**
   * The maker fee at which a fill at the strategy's fair value earns nothing; undefined without a
   * fair value.
   */
  readonly breakEvenFeeBps: number | undefined;
}

/** Why the quotes are what they are, in prices where the strategy thinks in ticks. */
export interface ExplainedReason {
  readonly fairQuote: number | undefined;
  readonly reservationQuote: number | undefined;
  readonly halfSpreadBps: number | undefined;
  readonly terms: Readonly<Record<string, number>>;
  readonly clamps: readonly string[];
}

/** What a market comes to when every quote of one side fills and none of the other. */
export interface ExplainedWorst {
  /** Signed. */
  readonly longBase: string;
  readonly shortBase: string;
  readonly notionalQuote: string;
  readonly initialMarginQuote: string;
  readonly maintenanceQuote: string;
  /**
   * How far the mark may move against the worse side, the other markets standing at their worst;
   * undefined without a position or a known balance.
   */
  readonly toLiquidationBps: number | undefined;
  readonly liquidationPriceQuote: number | undefined;
}

/** ORDER tokens a minute, each way of counting with every decision moving every quote. */
export interface ExplainedTokens {
  /** Orders that the market would have. */
  readonly orders: number;
  /** Cancel, place and, of a server-built order, build. */
  readonly tokensARequote: number;
  /** A decision at each `everyMs` and no more. */
  readonly byTimerPerMinute: number;
  /**
   * A decision at each `minGapMs`, as a touch that never rests makes them; undefined: as often as
   * frames come.
   */
  readonly worstPerMinute: number | undefined;
  /** Of GTT quotes alone: what renewals cost when nothing else moves them. */
  readonly renewalsPerMinute: number;
}

/**
 * What was taken over in a market and is being unwound. Amounts are signed decimal strings of base,
 * instants exchange time.
 */
export interface ExplainedUnwinding {
  /** Where its work stands, and why. */
  readonly state: TargetState;
  readonly why: string;
  readonly remainingBase: string;
  /**
   * What the trajectories allow to be held now: where less is allowed than remains, the rest is
   * behind.
   */
  readonly allowedBase: string;
  /**
   * When the next slice leaves, or may leave; undefined when none will, or nothing may be worked
   * now.
   */
  readonly nextSliceAtMs: Ms | undefined;
  /** The oldest first. */
  readonly takeovers: readonly {
    readonly takeoverId: string;
    readonly remainingBase: string;
    readonly allowedBase: string;
    /** No order that works it is worse. */
    readonly worstPrice: string;
    readonly nextStepAtMs: Ms | undefined;
    readonly deadlineMs: Ms;
  }[];
}

/** One market of an {@link Explanation}. */
export interface ExplainedMarket {
  /** `no strategy`: what is taken over here is sold, and nothing else done. */
  readonly strategy: string;
  /** Whether there is an answer: a plan of the strategy's newest intent. */
  readonly state: "quoting" | "working a target" | "unwinding" | "not quoting";
  /** Why it does not quote, or not all it wants. */
  readonly reasons: readonly string[];
  readonly bestBid: string | undefined;
  readonly bestAsk: string | undefined;
  readonly midQuote: number | undefined;
  readonly markQuote: string | undefined;
  /** Undefined when the account is not registered, or not confirmed yet. */
  readonly positionBase: string | undefined;
  readonly quotes: readonly ExplainedQuote[];
  readonly reason: ExplainedReason | undefined;
  /** Undefined where nothing is being unwound. */
  readonly unwinding: ExplainedUnwinding | undefined;
  /** Orders of the bot's own that would be cancelled. */
  readonly cancels: readonly { readonly hash: string; readonly why: string }[];
  readonly worst: ExplainedWorst;
  readonly tokens: ExplainedTokens;
}

/**
 * What the own account could take over in a market, at the mark: neither the discount nor what sale
 * and gas cost is in it.
 */
export interface ExplainedCapacity {
  readonly marketId: MarketId;
  readonly longBase: string;
  readonly shortBase: string;
  /** What keeps it from more. */
  readonly boundBy: readonly string[];
  /** Whether there are both sides of a book to sell on. */
  readonly hasBook: boolean;
}

/**
 * One position of an account in danger, and what would be done about it now. Amounts are decimal
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
  /** Signed: what would be asked for. */
  readonly amountBase: string | undefined;
  readonly shortOfQuote: string | undefined;
  readonly expectedProfitQuote: string | undefined;
  /** At the worst price and the most gas that it would accept. */
  readonly worstProfitQuote: string | undefined;
}

/** What the liquidator of a bot would do now, and what holds it. */
export interface ExplainedLiquidator {
  readonly state: "would take over" | "watching" | "nothing can be taken over";
  /** Why nothing can be taken over now, whoever is in danger. */
  readonly reasons: readonly string[];
  /** What else went wrong meanwhile. */
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
   * Whose positions they become, who signs, and whether the account lets it; undefined where the
   * chain could not be read.
   */
  readonly account: string | undefined;
  readonly sender: string | undefined;
  readonly mayAct: boolean | undefined;
  readonly blockNumber: number | undefined;
  /** Accounts that are remembered. */
  readonly watched: number;
  /** Nearest to the edge first; a distance of 0 is unsafe, undefined where no price breaks it. */
  readonly nearest: readonly {
    readonly account: string;
    readonly distanceBps: number | undefined;
    readonly discountQuote: string;
  }[];
  /** Of one takeover at the present price, the tip and a rollup's fee in it. */
  readonly gas:
    | { readonly feePerGasGwei: string; readonly costEth: string; readonly costQuote: string }
    | undefined;
  /** Of the own account on the chain; free is what is above maintenance margin and its buffer. */
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

/** A value of the bot's file that is allowed and makes little sense in its market as it is now. */
export interface ImplausibleValue {
  /** Path of the value in the file. */
  readonly field: string;
  /** The value, what it is compared with, and what follows. */
  readonly text: string;
}

/** What a bot would quote now and why, and what that may lead to. Plain JSON. */
export interface Explanation {
  readonly config: string;
  readonly account: string;
  /** False: the exchange does not know the account yet; balances and margin are unknown. */
  readonly registered: boolean;
  /** Whether every market came to an answer in time. */
  readonly complete: boolean;
  /** Exchange time. */
  readonly atMs: number;
  /** What halts the whole account. */
  readonly halts: readonly string[];
  readonly markets: Readonly<Record<MarketId, ExplainedMarket>>;
  /** Values of the file that are allowed and far from what the markets make sensible. */
  readonly implausible: readonly ImplausibleValue[];
  /** Of a bot that liquidates, where its chain was given. */
  readonly liquidator?: ExplainedLiquidator;
  /** What is done at which loss, and what happens to the positions: a line each. */
  readonly losses: readonly string[];
  readonly worst: {
    /** After the fills' own cost; undefined when balances are unknown. */
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
    /** Undefined: as often as frames come. */
    readonly worstPerMinute: number | undefined;
    readonly renewalsPerMinute: number;
    /** Whether the worst minute fits; where not, places wait, and cancels never do. */
    readonly worstFits: boolean;
  };
}
