import type { BotStatus, MarketStatus } from "../../src/bot/run/monitor/bot-status.js";

/** `BUY` or `SELL`. */
export type Side = "BUY" | "SELL";

/** One of our orders that may still fill. */
export interface OwnQuote {
  readonly clientId?: string;
  readonly side: Side;
  readonly price: string;
  /** The open remainder. */
  readonly amountBase: string;
  /** Behind the touch of its own side: 0 at the touch, negative inside the spread. */
  readonly distanceBps: number;
  readonly phase: string;
  readonly ageMs: number;
  readonly level?: number;
}

/** Share of the time since the start in which quotes rested, and their mean distance. */
export interface QuotingShare {
  readonly bothSidesFraction: number;
  readonly bidFraction: number;
  readonly askFraction: number;
  readonly bidDistanceBps?: number;
  readonly askDistanceBps?: number;
}

/** The mean move of the mid after fills of one side and level, in favour of the bot if positive. */
export interface LiveMarkout {
  readonly side: Side | "both";
  readonly level: number | "all";
  readonly horizonMs: number;
  readonly fills: number;
  readonly quote: string;
  readonly bps: number;
}

/** The status of one market, with what a cockpit shows of it. */
export interface CockpitMarketStatus extends MarketStatus {
  readonly quotes: readonly OwnQuote[];
  readonly entryPrice: string | null;
  readonly notionalQuote: string | null;
  readonly unrealisedQuote: string | null;
  readonly realisedQuote: string | null;
  readonly bookAgeMs?: number;
  readonly fills: number;
  readonly fillsPerMinute: number;
  readonly quoting: QuotingShare;
  readonly markouts: readonly LiveMarkout[];
}

/** A rung of the risk ladder, active or not. */
export interface LadderRung {
  readonly measure: string;
  readonly marketId?: string;
  readonly threshold: string;
  readonly unit: string;
  readonly action: string;
  readonly measured?: string;
  readonly isActive: boolean;
  readonly why?: string;
}

/** A parameter that was changed while the bot runs, and what its file still says. */
export interface RunningDifference {
  readonly path: string;
  readonly running: string;
  readonly file: string;
}

/** The status of a bot at one turn: what `status --json` prints. */
export interface CockpitStatus extends Omit<BotStatus, "markets"> {
  readonly turn: number;
  readonly atMs: number;
  readonly startedAtMs: number;
  readonly drawdownQuote?: string | null;
  readonly unrealisedQuote?: string | null;
  readonly realisedQuote?: string | null;
  readonly guard: {
    readonly state: "alive" | "missing" | "stale" | "not-needed";
    readonly ageMs?: number;
    readonly text: string;
  };
  readonly eventLoopDelayMs: { readonly last: number; readonly p99: number };
  readonly streams: readonly {
    readonly name: string;
    readonly state: "up" | "down";
    readonly ageMs?: number;
  }[];
  readonly ladderRungs: readonly LadderRung[];
  readonly differsFromFile: readonly RunningDifference[];
  readonly markets: Readonly<Record<string, CockpitMarketStatus>>;
}

/** A level of the book. */
export interface Level {
  readonly price: string;
  readonly amountBase: string;
  /** Our own share of it. */
  readonly ownBase?: string;
}

/** One of our fills. */
export interface Fill {
  readonly atMs: number;
  readonly side: Side;
  readonly price: string;
  readonly amountBase: string;
  /** Paid if positive, received if negative. */
  readonly feeQuote: string;
  readonly isMaker: boolean;
  readonly level?: number;
}

/** A market in a frame. */
export interface FrameMarket {
  readonly tickSize: string;
  readonly stepSize: string;
  /** Best first, at most 20. */
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  /** The newest fills, at most 200. */
  readonly fills: readonly Fill[];
  /** The running parameters of the market's strategy. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/** A line of the bot's log that a person should see. */
export interface Notice {
  readonly atMs: number;
  readonly level: "info" | "warn" | "error";
  readonly text: string;
}

/** One bot at one turn, as the bot sends it to its watchers. */
export interface Frame {
  readonly status: CockpitStatus;
  /** True if the bot's file allows commands from the cockpit. */
  readonly control: boolean;
  readonly markets: Readonly<Record<string, FrameMarket>>;
  /** Newest last, at most 50. */
  readonly notices: readonly Notice[];
}

/** A bot in the list of all bots of this user. */
export interface BotEntry {
  readonly id: string;
  readonly config: string;
  readonly account: string;
  readonly phase: string;
  readonly control: boolean;
  /** Why there is no newer frame. */
  readonly trouble?: string;
}

/** A command of the page. Without a market it is for all of them. */
export type PageRequest =
  | { readonly command: "halt"; readonly marketId?: string; readonly reason: string }
  | { readonly command: "resume"; readonly marketId?: string }
  | { readonly command: "flatten"; readonly marketId?: string; readonly maxSlippageBps: number }
  | {
      readonly command: "set";
      readonly changes: readonly { readonly path: string; readonly value: unknown }[];
      readonly preview: boolean;
    };

/** The answer to a command or to its preview. */
export type PageResponse =
  | { readonly ok: true; readonly data: unknown }
  | {
      readonly ok: false;
      readonly error: {
        readonly name: string;
        readonly message: string;
        readonly field?: string;
        readonly expected?: string;
      };
    };

/** The trades that a flatten would make of the present book. */
export interface FlattenPreview {
  readonly side: Side;
  readonly amountBase: string;
  readonly touchPrice: string | null;
  readonly expectedPrice: string | null;
  readonly worstPrice: string | null;
  /** Distance of the expected price from the touch. */
  readonly slippageBps: number;
  readonly slippageQuote: string;
  readonly takerFeeQuote: string;
  readonly unfilledBase: string;
  readonly sliceBase: string | null;
  readonly slices: number;
  /** Why something remains unfilled. */
  readonly why?: string;
}

/** Effects of a command on one market. */
export interface MarketPreview {
  readonly marketId: string;
  readonly ordersCancelled: number;
  readonly positionBase: string | null;
  readonly flatten?: FlattenPreview;
}

/** The effect that a command would have now. */
export interface CommandPreview {
  readonly command: "halt" | "resume" | "flatten";
  readonly markets: readonly MarketPreview[];
  readonly haltsEnded: CockpitStatus["activeHalts"];
  readonly haltsKept: CockpitStatus["activeHalts"];
  readonly flattenStopped: readonly string[];
}
