import type { ProfitParts } from "../../account/profit/account-profit.js";
import type { CreditUnits, Lots, MarketId, Side, Ticks } from "../../core/units.js";
import type { FillCause } from "../matching/matcher.js";

/** The ambiguity of a fill: history does not show whether its order rested first. */
export interface FillAmbiguity {
  /** An order that may take may have taken on arrival; a POST_ONLY one may have been refused. */
  readonly kind: "may-have-taken" | "may-have-been-refused";
  /** Fee by the other rule for ambiguous fills, credit units; below zero a rebate. */
  readonly feeOtherwise: CreditUnits;
}

/** One fill of ours, in a replay or as a live bot has recorded it. */
export interface ReplayFill {
  readonly marketId: MarketId;
  /** Number of the fill in the run, from 1. */
  readonly number: number;
  /** Exchange time, microseconds since 1970. */
  readonly atUs: number;
  /** When the bot received it; NaN for a live fill that no bot saw. */
  readonly receivedUs: number;
  /** Undefined for a live fill: the exchange's trades do not name their order. */
  readonly orderId: number | undefined;
  readonly side: Side;
  /**
   * Distance rank of the order's quote, 0 the innermost; below 0 for an order that worked a
   * position. Undefined for a live fill that no bot saw.
   */
  readonly level: number | undefined;
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly isMaker: boolean;
  /** Undefined for a live fill of a maker: the exchange does not say why it was filled. */
  readonly cause: FillCause | undefined;
  /** Undefined where history shows that its order rested, or that it took on arrival. */
  readonly ambiguity: FillAmbiguity | undefined;
  /** Unsigned credit units that changed hands. */
  readonly quote: CreditUnits;
  /** Credit units paid; negative is a rebate. */
  readonly fee: CreditUnits;
  /**
   * Best bid plus best ask at the exchange just before, in ticks; NaN without two sides. For a
   * `cross`, those of the book that reached our price.
   */
  readonly midHalfTicks: number;
  /** Signed, after the fill; NaN for a live fill that no bot saw. */
  readonly positionLots: Lots;
}

/** The state of the account at an instant. */
export interface EquitySample {
  readonly atUs: number;
  /** Net value at the mark prices, as the exchange itself computes it. */
  readonly equity: CreditUnits;
  /**
   * Parts of the profit since the start. Their `total` plus `transfers` is the change of `equity`
   * to the unit.
   */
  readonly profit: ProfitParts;
  readonly markets: readonly MarketSample[];
  /** Present state of the exchange's token budgets. */
  readonly budgets: readonly BudgetSample[];
}

/** One token budget of an {@link EquitySample}. */
export interface BudgetSample {
  /** The exchange's name for it: `ORDER`, `COMMON`. */
  readonly name: string;
  readonly usedTokens: number;
  readonly limitTokens: number;
}

/** One market of an {@link EquitySample}. */
export interface MarketSample {
  readonly marketId: MarketId;
  readonly positionLots: Lots;
  readonly midHalfTicks: number;
  readonly markTicks: number;
  /** Our best resting prices at the exchange; NaN for none. */
  readonly ownBidTicks: Ticks;
  readonly ownAskTicks: Ticks;
  readonly profit: ProfitParts;
}

/** Funding paid at a stamp. */
export interface FundingPayment {
  readonly marketId: MarketId;
  readonly atUs: number;
  readonly positionLots: Lots;
  readonly markTicks: number;
  readonly rate: number;
  /** Credit units received; below zero when paid. */
  readonly amount: CreditUnits;
}

/**
 * Receives a replayed run as it goes, in the order of the exchange's clock. Every report is built
 * from these calls.
 */
export interface RunObserver {
  /**
   * The best prices of a market changed at the exchange, our own orders excluded; NaN for an empty
   * side. Called only on a change.
   */
  touch(marketId: MarketId, atUs: number, bidTicks: Ticks, askTicks: Ticks): void;
  fill(fill: ReplayFill): void;
  /** Called at the start, then at a fixed interval that divides a UTC day, and at the end. */
  equity(sample: EquitySample): void;
  /** Our best resting price of a side changed at the exchange; NaN for none. */
  quote(marketId: MarketId, atUs: number, side: Side, ownTicks: Ticks): void;
  /** The bot sent an order: `throttled` when the token budget held it back instead. */
  action(
    marketId: MarketId,
    atUs: number,
    kind: "place" | "cancel" | "cancel-all" | "throttled",
  ): void;
  /**
   * A strategy predicted a move of the mid from its newest view on, in fractional ticks.
   */
  prediction(marketId: MarketId, atUs: number, moveTicks: number): void;
  funding(payment: FundingPayment): void;
  /** An event of the run that a trader should know: a halt, a refusal, a liquidation. */
  note(atUs: number, level: "info" | "warn" | "error", text: string): void;
}
