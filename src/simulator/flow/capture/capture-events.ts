import type { Lots, Ms, Side, Ticks } from "../../../core/units.js";
import type { RecordedMessage } from "../flow-market.js";

interface Captured {
  /** The exchange's matching time (`timestamp` of books, `time` of trades and marks). */
  readonly timeMs: Ms;
  /** The line in the original capture, global over all streams of a tag: the order within one millisecond. */
  readonly line: number;
  /** The recorder's own clock as it was written, nanoseconds; null where the file has none. */
  readonly receivedNs: bigint | null;
}

/** A recorded book message, ready for `FlowMarket.applyRecorded`. */
export interface CapturedBook extends Captured, RecordedMessage {}

/** A recorded print. */
export interface CapturedTrade extends Captured {
  readonly kind: "trade";
  /** The recording venue's id. */
  readonly id: string;
  readonly ticks: Ticks;
  readonly lots: Lots;
  /** The taker's side: `isBuyerMaker` means that a seller took. */
  readonly aggressor: Side;
}

/** A recorded mark and index; prices as the file has them, since marks do not lie on the tick grid. */
export interface CapturedMark extends Captured {
  readonly kind: "mark";
  readonly markPrice: string;
  readonly indexPrice: string;
}

/** Whatever a capture holds, in the order of the exchange's clock. */
export type CaptureEvent = CapturedBook | CapturedTrade | CapturedMark;

/** The order of a capture's exchange clock: by time, then by line. */
export function compareCaptured(a: CaptureEvent, b: CaptureEvent): number {
  return a.timeMs - b.timeMs || a.line - b.line;
}
