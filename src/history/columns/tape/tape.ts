import type { MarketId } from "../../../core/units.js";
import type { LotsColumn } from "./lots-column.js";

/** The kinds of message of a {@link Tape}. */
export const TapeKind = {
  /** Levels with their new absolute amounts; 0 deletes. */
  bookUpdate: 0,
  /**
   * A snapshot of the book. On each side it replaces its own worst price and every better one;
   * levels behind it stay.
   */
  bookSnapshot: 1,
  /** One public trade, one row. */
  trade: 2,
  /**
   * The book is unknown from here on: both sides are empty, and later levels are not reliable
   * before the next snapshot.
   */
  bookLost: 3,
} as const;

/** The number of a kind of message, as {@link TapeKind} names them. */
export type TapeKind = (typeof TapeKind)[keyof typeof TapeKind];

/** The lowest price that columns hold, in ticks. */
export const LEAST_TICKS = 1;
/**
 * The highest price that columns hold, in ticks. A snapshot that deletes the lowest price as a bid
 * and this one as an ask is the whole book: no price lies beyond.
 */
export const MOST_TICKS = 2 ** 31 - 1;

/**
 * Recorded books and trades of one market as columns, ready to replay without parsing.
 *
 * A message is one book update, snapshot, loss or trade. Message `m` owns the rows from `rowEnd[m -
 * 1]` (0 for the first) to `rowEnd[m]`, exclusive. Messages are in the order of the exchange's
 * clock, ties in the order of the recording. Every array lies in shared memory if the tape was
 * opened for several workers.
 */
export interface Tape {
  readonly marketId: MarketId;
  /** Decimal strings: the units of `signedTicks` and `lots`. */
  readonly tickSize: string;
  readonly stepSize: string;
  readonly messages: number;
  readonly rows: number;
  /** The exchange's stamp of each message, whole microseconds since 1970, ascending. */
  readonly exchangeUs: Float64Array;
  /**
   * The recorder's corrected stamp of each message, whole microseconds since 1970; equal to
   * `exchangeUs` if nothing was stamped locally.
   */
  readonly localUs: Float64Array;
  /** {@link TapeKind} of each message. */
  readonly kind: Uint8Array;
  /** The end of each message's rows, exclusive. */
  readonly rowEnd: Uint32Array;
  /**
   * Price in ticks: above 0 for a bid level or a trade whose taker bought, below 0 for an ask level
   * or a trade whose taker sold.
   */
  readonly signedTicks: Int32Array;
  /** Absolute amount of a level, or the amount of a trade. */
  readonly lots: LotsColumn;
  /**
   * Indices of the messages in the order of the local clock, ties by index; undefined if both
   * orders are equal.
   */
  readonly byLocal: Uint32Array | undefined;
}

/** Candles of one market as columns. */
export interface KlineTape {
  readonly marketId: MarketId;
  readonly tickSize: string;
  readonly stepSize: string;
  readonly bars: number;
  readonly intervalUs: number;
  /**
   * Start of each bar, whole microseconds since 1970, ascending; bars without trades may be
   * missing.
   */
  readonly startUs: Float64Array;
  readonly openTicks: Int32Array;
  readonly highTicks: Int32Array;
  readonly lowTicks: Int32Array;
  readonly closeTicks: Int32Array;
  /** Volume, rounded down to whole lots. */
  readonly lots: Float64Array;
}

/** Mark prices, index prices and live funding rates of one market as columns. */
export interface MarkTape {
  readonly exchangeUs: Float64Array;
  readonly localUs: Float64Array;
  /** Credit units per whole base unit. */
  readonly markCredit: BigInt64Array;
  readonly indexCredit: BigInt64Array;
  /** The predicted rate of the next payment, scaled by 10^18; longs pay when positive. */
  readonly fundingRateE18: BigInt64Array;
  /** The time of the next payment, milliseconds since 1970; 0 if unknown. */
  readonly nextFundingMs: Float64Array;
}

/** Funding payments: at each stamp a position pays `rate` of its value at the mark. */
export interface FundingTape {
  readonly timeUs: Float64Array;
  /** Scaled by 10^18; longs pay when positive. */
  readonly rateE18: BigInt64Array;
}
