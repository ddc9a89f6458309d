import type { MarketId, Ms } from "../core/units.js";
import type { PnlPart } from "./metrics.js";

/** One price level on the screen; prices and amounts as they are shown. */
export interface ScreenLevel {
  readonly price: string;
  /** Total at this price, our own included. */
  readonly amount: string;
  /** Our own part, if any. */
  readonly own: string | undefined;
}

/** The reason for the last intent, ready to show. */
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
  /** Reasons why it does not quote; empty while it does. */
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

/** A recent event. */
export interface ScreenNote {
  readonly atMs: Ms;
  readonly level: "info" | "warn" | "error";
  readonly text: string;
}

/** An account near liquidation. */
export interface ScreenCandidate {
  readonly account: string;
  /** Smallest move of a mark price until it is unsafe; `unsafe` when it is. */
  readonly distance: string;
  /** Value of the discount on its positions. */
  readonly discountQuote: string;
}

/** A recent liquidation, ready to show. */
export interface ScreenLiquidation {
  readonly atMs: Ms;
  readonly marketId: MarketId;
  readonly victim: string;
  readonly outcome: string;
  /** Its latest detail: the reason, the rival, the amount still to be sold. */
  readonly detail: string;
  readonly profitQuote: string | undefined;
}

/** The liquidator's panel. */
export interface ScreenLiquidator {
  /** Reason why takeovers are paused; undefined while they may proceed. */
  readonly paused: string | undefined;
  readonly dryRun: boolean;
  readonly blockNumber: number | undefined;
  readonly watched: number;
  readonly inFlight: number;
  /** Counts in display order. */
  readonly counts: readonly (readonly [name: string, count: number])[];
  readonly profitQuote: string;
  readonly gasEth: string;
  /** Each RPC with its head's age, or the reason why it is not trusted. */
  readonly rpcs: readonly {
    readonly name: string;
    readonly text: string;
    readonly isBelieved: boolean;
  }[];
  /** Nearest to liquidation first. */
  readonly nearest: readonly ScreenCandidate[];
  /** Newest last. */
  readonly liquidations: readonly ScreenLiquidation[];
}

/** Content of the live screen. */
export interface ScreenModel {
  /** For example the bot's file. */
  readonly title: string;
  readonly account: string;
  readonly exchange: string;
  readonly nowMs: Ms;
  readonly startedMs: Ms;
  readonly equityQuote: string | undefined;
  /** The change of equity since the start, without deposits and withdrawals. */
  readonly earnedQuote: string | undefined;
  /** The part of it that is not attributed to a part of profit yet; undefined if there is none. */
  readonly inTransitQuote: string | undefined;
  readonly peakEquityQuote: string | undefined;
  readonly budgets: readonly ScreenBudget[];
  readonly halts: readonly string[];
  /** The active steps of the risk ladder, as text. */
  readonly ladder?: readonly string[] | undefined;
  readonly markets: readonly ScreenMarket[];
  /** Set for a bot that liquidates. */
  readonly liquidator?: ScreenLiquidator | undefined;
  /** Newest last. */
  readonly notes: readonly ScreenNote[];
  /** Location of the log, and the key that stops the bot. */
  readonly footer: string;
}
