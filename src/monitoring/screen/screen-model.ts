import type { MarketId, Ms } from "../../core/units.js";
import type { PnlPart } from "../pnl-parts.js";

/** Our orders at a price: resting, on their way to the book, on their way out, or in doubt. */
export type OwnState = "open" | "sent" | "cancelling" | "unknown";

/** One price level on the screen; prices and amounts as they are shown. */
export interface ScreenLevel {
  readonly price: string;
  /** Total at this price, our own included; undefined without a synchronised book. */
  readonly amount: string | undefined;
  /** Our own part, if any: what may still fill. */
  readonly own: ScreenOwnLevel | undefined;
  /** True for a level below the book's levels of the list: others may lie in between. */
  readonly isBeyond: boolean;
}

/** Our own part of a level. */
export interface ScreenOwnLevel {
  readonly amount: string;
  /** Behind the best price of the side, in basis points; undefined while that is not known. */
  readonly distanceBps: string | undefined;
  readonly state: OwnState;
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
  /** Names of the assets; undefined if the exchange does not name them. */
  readonly baseAsset: string | undefined;
  readonly quoteAsset: string | undefined;
  /** Decimals of the market's prices and amounts: the widths of its columns depend on them. */
  readonly priceDecimals: number;
  readonly amountDecimals: number;
  /** Best first. Every own order is in them, however far behind. */
  readonly bids: readonly ScreenLevel[];
  readonly asks: readonly ScreenLevel[];
  readonly spread: string | undefined;
  readonly mark: string | undefined;
  readonly bookAgeMs: Ms | undefined;
  /** Undefined until the exchange has reported the account. */
  readonly positionBase: string | undefined;
  /** Undefined while it is not known, and for a flat position. */
  readonly entryPrice: string | undefined;
  /** Undefined while they are not known. */
  readonly notionalQuote: string | undefined;
  readonly unrealisedQuote: string | undefined;
  readonly realisedQuote: string | undefined;
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
  /** Its reference price; undefined in a market without one. */
  readonly reference: ScreenReference | undefined;
  /** Its hedge at another venue, in one line; undefined in a market without one. */
  readonly hedge?: ScreenReference | undefined;
}

/** The reference price of a market, in one line. */
export interface ScreenReference {
  readonly text: string;
  readonly isGood: boolean;
}

/** The guard beside the bot. */
export interface ScreenGuard {
  readonly state: "alive" | "missing" | "stale" | "not-needed";
  readonly ageMs?: Ms | undefined;
  readonly text: string;
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
  /** The part of it that is not attributed to a part of profit yet; undefined while not known. */
  readonly inTransitQuote: string | undefined;
  readonly peakEquityQuote: string | undefined;
  readonly drawdownQuote: string | undefined;
  readonly unrealisedQuote: string | undefined;
  readonly realisedQuote: string | undefined;
  /** Name of the asset of all these amounts; undefined if the exchange names none. */
  readonly quoteAsset: string | undefined;
  readonly guard?: ScreenGuard | undefined;
  /** Set while the bot stops: the number of its orders that may still fill. */
  readonly stoppingOrders?: number | undefined;
  /** How long a bot that stops waits for the exchange at most. */
  readonly stopLimitMs: Ms;
  readonly budgets: readonly ScreenBudget[];
  readonly halts: readonly string[];
  /** The active steps of the risk ladder, as text. */
  readonly ladder?: readonly string[] | undefined;
  readonly markets: readonly ScreenMarket[];
  /** Set for a bot that liquidates. */
  readonly liquidator?: ScreenLiquidator | undefined;
  /** Newest last. */
  readonly notes: readonly ScreenNote[];
  /** Where the log goes meanwhile. */
  readonly logFile: string;
  /** The address of the cockpit with a token that was not used yet. */
  readonly cockpitLink?: string | undefined;
  /** The command that prints a link to the cockpit. */
  readonly cockpitCommand: string;
}

/** The part of a screen that the person at the keys has chosen. */
export interface ScreenView {
  /** False where no keys are read. */
  readonly hasKeys: boolean;
  readonly isHelp: boolean;
  /** Page of the help, counted from 0; after the last comes the first again. */
  readonly helpPage: number;
  /** True once Ctrl-C or a signal has stopped the bot: the next one ends the process at once. */
  readonly isInterrupted: boolean;
  /** Number of the market that comes first where not all fit, counted from 0. */
  readonly focus: number;
  /** A question, or the answer to a command, in place of the list of keys. */
  readonly prompt: string | undefined;
}
