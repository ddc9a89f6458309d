import type { ProfitParts } from "../../account/profit/account-profit.js";
import type { CreditUnits, Lots, MarketId, Side, Ticks } from "../../core/units.js";
import type { FillCause } from "../matching/matcher.js";

/** What history leaves open of a fill: whether its order came to rest at all. */
export interface FillAmbiguity {
  /** An order that may take may have taken when it arrived; a POST_ONLY one may have been refused. */
  readonly kind: "may-have-taken" | "may-have-been-refused";
  /** What the other rule for such fills would have charged, credit units; below zero a rebate. */
  readonly feeOtherwise: CreditUnits;
}

/** One fill of ours in a replay. */
export interface ReplayFill {
  readonly marketId: MarketId;
  /** Numbers the fills of a run from 1. */
  readonly number: number;
  /** At the exchange, microseconds since 1970. */
  readonly atUs: number;
  /** When the bot heard of it. */
  readonly receivedUs: number;
  readonly orderId: number;
  readonly side: Side;
  /** Distance rank of the quote that the order was for, 0 the innermost; below 0 for an order that worked a position. */
  readonly level: number;
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly isMaker: boolean;
  readonly cause: FillCause;
  /** Undefined where history tells that its order had come to rest, or took when it arrived. */
  readonly ambiguity: FillAmbiguity | undefined;
  /** Unsigned credit units that changed hands. */
  readonly quote: CreditUnits;
  /** Credit units paid; negative is a rebate. */
  readonly fee: CreditUnits;
  /** Best bid plus best ask at the exchange just before, in ticks, of a `cross` those of the book that came to our price; NaN without two sides. */
  readonly midHalfTicks: number;
  /** Signed, after the fill. */
  readonly positionLots: Lots;
}

/** How the account stands at an instant. */
export interface EquitySample {
  readonly atUs: number;
  /** Net value at the marks: what the exchange itself would say. */
  readonly equity: CreditUnits;
  /** Parts of the profit since the start; their `total` with `transfers` is the change of `equity` to the unit. */
  readonly profit: ProfitParts;
  readonly markets: readonly MarketSample[];
  /** The exchange's token budgets as they stand. */
  readonly budgets: readonly BudgetSample[];
}

/** One token budget of an {@link EquitySample}. */
export interface BudgetSample {
  /** As the exchange names it: `ORDER`, `COMMON`. */
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
  /** Our best resting prices as the exchange has them; NaN for none. */
  readonly ownBidTicks: Ticks;
  readonly ownAskTicks: Ticks;
  readonly profit: ProfitParts;
}

/** Funding that was paid at a stamp. */
export interface FundingPayment {
  readonly marketId: MarketId;
  readonly atUs: number;
  readonly positionLots: Lots;
  readonly markTicks: number;
  readonly rate: number;
  /** Credit units received; below zero when paid. */
  readonly amount: CreditUnits;
}

/** Hears a replayed run as it goes, in the order of the exchange's clock. Every report is made of it; it keeps what it needs. */
export interface RunObserver {
  /** Best prices of a market changed at the exchange, our own orders not among them; NaN for an empty side. Told on a change alone. */
  touch(marketId: MarketId, atUs: number, bidTicks: Ticks, askTicks: Ticks): void;
  fill(fill: ReplayFill): void;
  /** Told at the start, then at a fixed interval that divides a UTC day, and at the end. */
  equity(sample: EquitySample): void;
  /** Our best resting price of a side changed at the exchange; NaN for none. */
  quote(marketId: MarketId, atUs: number, side: Side, ownTicks: Ticks): void;
  /** An order left the bot: `throttled` when the token budget held it back instead. */
  action(
    marketId: MarketId,
    atUs: number,
    kind: "place" | "cancel" | "cancel-all" | "throttled",
  ): void;
  funding(payment: FundingPayment): void;
  /** What a trader should know of the run: a halt, a refusal, a liquidation. */
  note(atUs: number, level: "info" | "warn" | "error", text: string): void;
}
