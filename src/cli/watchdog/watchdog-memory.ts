import type { BotConfig } from "../../bot/config/config.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";

/** Words of the memory that the monitored thread writes and the watchdog reads. */
export const WORD = {
  /** Incremented a few times a second. */
  beats: 0,
  /** 0, or the index of the market whose strategy is being called, counted from 1. */
  called: 1,
} as const;
export const WORDS = 2;
/** Interval of the monitored thread's beats, and of the watchdog's checks. */
export const BEAT_MS: Ms = 200;

/** Global name in the monitored thread of the callbacks for the watchdog. */
export const WATCHED = "marketwrightWatched";

/** Callbacks that the watchdog may run in the monitored thread while that is busy. */
export interface WatchdogCallbacks {
  /**
   * Lets signals end the process at once. @returns the current line of a running strategy, or ""
   */
  readonly stalled: () => string;
  /** Ends the process with exit code 1. */
  readonly end: () => void;
}

/** Start data of the watchdog's thread. */
export interface WatchdogStart {
  readonly memory: SharedArrayBuffer;
  /** Longest time without progress of the monitored thread. */
  readonly stallMs: Ms;
  readonly markets: readonly {
    readonly marketId: MarketId;
    readonly strategy: string | undefined;
  }[];
  /** The log's file; undefined if the log goes to stderr. */
  readonly logFile: string | undefined;
  /** The bot's file, for suggested commands. */
  readonly path: string;
  /** Data to cancel the orders if no guard runs; undefined in a dry run. */
  readonly orders:
    | { readonly config: BotConfig; readonly privateKey: Hex; readonly account: Hex }
    | undefined;
}

/** A message to the watchdog's thread. */
export type WatchdogMessage = { readonly kind: "ends-in"; readonly ms: Ms };
