import type { Lots, Side, Ticks } from "../../core/units.js";
import type { LiveOrderBook } from "../../market/live-order-book.js";

/** Receives the trades of a feed. `aggressor`: the side of the taker. */
export type TradeSink = (ticks: Ticks, lots: Lots, aggressor: Side) => void;

/**
 * True if the recording lacks the data of the present.
 * @param latencyUs age of the data when the bot receives it. Gaps are in the exchange's time, and
 * the bot's clock may be far ahead of it.
 */
export type GapCheck = (latencyUs: number) => boolean;

/** One market's data as the bot receives it, on the local clock. */
export interface LocalFeed {
  /** The bot's book. {@link advance} changes it in place. */
  readonly book: LiveOrderBook;
  /** When the next message is received, microseconds since 1970; Infinity after the last. */
  readonly nextUs: number;
  /** Age of the newest message when it was received, microseconds. */
  readonly latencyUs: number;
  /**
   * Receives the data before an instant, up to and including the first instant of it at which the
   * best prices changed, or the book became known or unknown. Returns true when there was one. The
   * bot's clock moves with the data.
   */
  advance(beforeUs: number): boolean;
}
