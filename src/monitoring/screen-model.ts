import type { MarketId, Ms } from "../core/units.js";
import type { PnlPart } from "./metrics.js";

/** One price level on the screen; prices and amounts as they are shown. */
export interface ScreenLevel {
  readonly price: string;
  /** Everything at this price, our own included. */
  readonly amount: string;
  /** Our own part, when there is any. */
  readonly own: string | undefined;
}

/** Why the last intent is what it is, ready to show. */
export interface ScreenReason {
  readonly fair: string;
  readonly reservation: string;
  readonly halfSpread: string;
  readonly terms: readonly (readonly [name: string, value: string])[];
  readonly clamps: readonly string[];
}

/** One market's panel. */
export interface ScreenMarket {
  readonly marketId: MarketId;
  readonly strategy: string;
  readonly state: "quoting" | "waiting" | "halted" | "reduce-only";
  /** Why it does not quote; empty while it does. */
  readonly stateReasons: readonly string[];
  /** Best first. */
  readonly bids: readonly ScreenLevel[];
  readonly asks: readonly ScreenLevel[];
  readonly spread: string | undefined;
  readonly mark: string | undefined;
  readonly bookAgeMs: Ms | undefined;
  /** Undefined until the exchange has reported the account. */
  readonly positionBase: string | undefined;
  /** Signed decimal strings. */
  readonly pnlQuote: Readonly<Record<PnlPart, string>>;
  readonly pnlTotalQuote: string;
  readonly fills: number;
  readonly fillsPerMinute: number;
  readonly openBids: number;
  readonly openAsks: number;
  readonly unknownOrders: number;
  readonly manualOrders: number;
  readonly reason: ScreenReason | undefined;
}

/** One rate limit's window. */
interface ScreenBudget {
  readonly name: string;
  readonly left: number;
  readonly limit: number;
}

/** A line of recent news. */
export interface ScreenNote {
  readonly atMs: Ms;
  readonly level: "info" | "warn" | "error";
  readonly text: string;
}

/** An account near its edge. */
export interface ScreenCandidate {
  readonly account: string;
  /** How far the nearest mark may move before it is unsafe; `unsafe` when it is. */
  readonly distance: string;
  /** What the discount on its positions is worth. */
  readonly discountQuote: string;
}

/** One liquidation of late, ready to show. */
export interface ScreenLiquidation {
  readonly atMs: Ms;
  readonly marketId: MarketId;
  readonly victim: string;
  readonly outcome: string;
  /** The newest word of it: why, to whom, how much is still to be sold. */
  readonly detail: string;
  readonly profitQuote: string | undefined;
}

/** The liquidator's panel. */
export interface ScreenLiquidator {
  /** Why nothing is taken over now; undefined while it may be. */
  readonly paused: string | undefined;
  readonly dryRun: boolean;
  readonly blockNumber: number | undefined;
  readonly watched: number;
  readonly inFlight: number;
  /** Counts in the order in which they are shown. */
  readonly counts: readonly (readonly [name: string, count: number])[];
  readonly profitQuote: string;
  readonly gasEth: string;
  /** Each RPC with its head's age, or why it is not believed. */
  readonly rpcs: readonly {
    readonly name: string;
    readonly text: string;
    readonly isBelieved: boolean;
  }[];
  /** Nearest to the edge first. */
  readonly nearest: readonly ScreenCandidate[];
  /** Newest last. */
  readonly liquidations: readonly ScreenLiquidation[];
}

/** Everything that the live screen shows. */
export interface ScreenModel {
  /** Such as the bot's file. */
  readonly title: string;
  readonly account: string;
  readonly exchange: string;
  readonly nowMs: Ms;
  readonly startedMs: Ms;
  readonly equityQuote: string | undefined;
  /** The change of equity since the start, without deposits and withdrawals. */
  readonly earnedQuote: string | undefined;
  /** What of it no part of the profit has yet; undefined where there is nothing. */
  readonly inTransitQuote: string | undefined;
  readonly peakEquityQuote: string | undefined;
  readonly budgets: readonly ScreenBudget[];
  readonly halts: readonly string[];
  /** What acts of the risk ladder, in words. */
  readonly ladder?: readonly string[] | undefined;
  readonly markets: readonly ScreenMarket[];
  /** Of a bot that liquidates. */
  readonly liquidator?: ScreenLiquidator | undefined;
  /** Newest last. */
  readonly notes: readonly ScreenNote[];
  /** Where the log goes meanwhile, and what ends the bot. */
  readonly footer: string;
}
