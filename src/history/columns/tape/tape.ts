import type { MarketId } from "../../../core/units.js";
import type { LotsColumn } from "./lots-column.js";

/** What a message of a {@link Tape} is. */
export const TapeKind = {
  /** Levels with their new absolute amounts; 0 deletes. */
  bookUpdate: 0,
  /** A whole book: on each side it replaces everything from its own worst price on, better ones included; what lies behind stays. */
  bookSnapshot: 1,
  /** One public trade, one row. */
  trade: 2,
  /** Nothing is known of the book any more: both sides are empty until more is told, and it is not to be trusted before the next snapshot. */
  bookLost: 3,
} as const;

/** The number of a kind of message, as {@link TapeKind} names them. */
export type TapeKind = (typeof TapeKind)[keyof typeof TapeKind];

/** The lowest price that columns hold, in ticks. */
export const LEAST_TICKS = 1;
/** The highest. A snapshot that deletes the lowest as a bid and this as an ask is the whole book: no price lies beyond. */
export const MOST_TICKS = 2 ** 31 - 1;

/**
 * Recorded books and trades of one market as columns, ready to replay: nothing is parsed in a replay. A message is one book update,
 * snapshot, loss or trade; message `m` owns the rows from `rowEnd[m - 1]` (0 for the first) to `rowEnd[m]`, exclusive. Messages lie in the order of the
 * exchange's clock, ties by their place in the recording. Every array lies in shared memory where the tape was opened for several workers.
 */
export interface Tape {
  readonly marketId: MarketId;
  /** Decimal strings: what `signedTicks` and `lots` count. */
  readonly tickSize: string;
  readonly stepSize: string;
  readonly messages: number;
  readonly rows: number;
  /** The exchange's stamp of each message, whole microseconds since 1970, ascending. */
  readonly exchangeUs: Float64Array;
  /** The recorder's corrected stamp of each message, whole microseconds since 1970; equal to `exchangeUs` where nobody stamped. */
  readonly localUs: Float64Array;
  /** {@link TapeKind} of each message. */
  readonly kind: Uint8Array;
  /** Where each message's rows end. */
  readonly rowEnd: Uint32Array;
  /** Price in ticks: above 0 for a bid level or a trade whose taker bought, below 0 for an ask level or a trade whose taker sold. */
  readonly signedTicks: Int32Array;
  /** Absolute amount of a level, or the amount of a trade. */
  readonly lots: LotsColumn;
  /** Numbers of the messages in the order of the local clock, ties by place; undefined where both orders are one. */
  readonly byLocal: Uint32Array | undefined;
}

/** Candles of one market as columns. */
export interface KlineTape {
  readonly marketId: MarketId;
  readonly tickSize: string;
  readonly stepSize: string;
  readonly bars: number;
  readonly intervalUs: number;
  /** Start of each bar, whole microseconds since 1970, ascending; bars without trades may be missing. */
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
  /** Credit units for one whole base unit. */
  readonly markCredit: BigInt64Array;
  readonly indexCredit: BigInt64Array;
  /** The rate that would be paid next, scaled by 10^18; longs pay when positive. */
  readonly fundingRateE18: BigInt64Array;
  /** When it would be paid, milliseconds since 1970; 0 where unknown. */
  readonly nextFundingMs: Float64Array;
}

/** Funding that was paid: at each stamp the position held there pays `rate` of its value at the mark. */
export interface FundingTape {
  readonly timeUs: Float64Array;
  /** Scaled by 10^18; longs pay when positive. */
  readonly rateE18: BigInt64Array;
}
