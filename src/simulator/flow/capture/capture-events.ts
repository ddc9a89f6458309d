import type { Lots, Ms, Side, Ticks } from "../../../core/units.js";
import type { RecordedMessage } from "../flow-market.js";

interface Captured {
  /** The exchange's matching time (`timestamp` of books, `time` of trades and marks). */
  readonly timeMs: Ms;
  /**
   * The line in the original capture, counted over all streams of a tag: the order within one
   * millisecond.
   */
  readonly line: number;
  /** The recorder's own clock as written, in nanoseconds; null where the file has none. */
  readonly receivedNs: bigint | null;
}

/** A recorded book message, ready for `FlowMarket.applyRecorded`. */
export interface CapturedBook extends Captured, RecordedMessage {}

/** A recorded trade. */
export interface CapturedTrade extends Captured {
  readonly kind: "trade";
  /** The recording venue's id. */
  readonly id: string;
  readonly ticks: Ticks;
  readonly lots: Lots;
  /** The taker's side: `isBuyerMaker` means that the taker sold. */
  readonly aggressor: Side;
}

/** A recorded mark and index; prices as in the file, since marks are not on the tick grid. */
export interface CapturedMark extends Captured {
  readonly kind: "mark";
  readonly markPrice: string;
  readonly indexPrice: string;
}

/** An event of a capture, in the order of the exchange's clock. */
export type CaptureEvent = CapturedBook | CapturedTrade | CapturedMark;

/** Compares two events by the exchange's clock: by time, then by line. */
export function compareCaptured(a: CaptureEvent, b: CaptureEvent): number {
  return a.timeMs - b.timeMs || a.line - b.line;
}
