import type { BotConfig } from "../../bot/config/config.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";

/** Words of the memory that the watched thread writes and the watchdog reads. */
export const WORD = {
  /** Counts up a few times a second. */
  beats: 0,
  /** 0, or the place of the market whose strategy is being called, counted from 1. */
  called: 1,
} as const;
export const WORDS = 2;
/** How often the watched thread shows that it lives, and the watchdog looks. */
export const BEAT_MS: Ms = 200;

/** The name in the watched thread's global object under which it offers what the watchdog has run there. */
export const WATCHED = "marketwrightWatched";

/** What the watchdog may have run in the watched thread while that is busy. */
export interface WatchdogCallbacks {
  /** Lets signals end the process at once. @returns the line of a strategy that is being run, or "" */
  readonly stalled: () => string;
  /** Ends the process with exit code 1. */
  readonly end: () => void;
}

/** What the watchdog's thread starts with. */
export interface WatchdogStart {
  readonly memory: SharedArrayBuffer;
  /** How long the watched thread may do nothing. */
  readonly stallMs: Ms;
  readonly markets: readonly {
    readonly marketId: MarketId;
    readonly strategy: string | undefined;
  }[];
  /** The log's file; undefined where the log goes to stderr. */
  readonly logFile: string | undefined;
  /** The bot's file, for the commands that are named. */
  readonly path: string;
  /** What the orders are cancelled with where no guard runs; undefined of a dry run. */
  readonly orders:
    | { readonly config: BotConfig; readonly privateKey: Hex; readonly account: Hex }
    | undefined;
}

/** What the watchdog's thread is told. */
export type WatchdogMessage = { readonly kind: "ends-in"; readonly ms: Ms };
