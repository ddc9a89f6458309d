import type { Lots, Side, Ticks } from "../../core/units.js";
import type { LiveOrderBook } from "../../market/live-order-book.js";

/** Takes the trades that a feed hears. `aggressor`: the side that took. */
export type TradeSink = (ticks: Ticks, lots: Lots, aggressor: Side) => void;

/**
 * Whether the recording lacks what is told at present.
 * @param latencyUs how old it is when the bot hears it: what is lacking is told on the exchange's clock, and the bot's may be far ahead of that.
 */
export type GapCheck = (latencyUs: number) => boolean;

/** One market's data as the bot hears it, on the local clock. */
export interface LocalFeed {
  /** What the bot reads as its book: changed in place by {@link advance}. */
  readonly book: LiveOrderBook;
  /** When the next message is heard, microseconds since 1970; Infinity after the last. */
  readonly nextUs: number;
  /** How old the newest message was when it was heard, microseconds. */
  readonly latencyUs: number;
  /**
   * Hears what comes before an instant, up to and with the first instant of it at which the best prices changed, or the book came or went: true
   * when there was one. The bot's clock goes on with what is heard.
   */
  advance(beforeUs: number): boolean;
}
