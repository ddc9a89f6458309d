import { firstRows, type ReferenceTape } from "../../history/columns/reference-tape.js";
import { ascendingOrder } from "../../history/columns/tape/ascending-order.js";
import { columnLike } from "../../history/columns/tape/lots-column.js";
import type { KlineTape, MarkTape, Tape } from "../../history/columns/tape/tape.js";
import type { BarPath } from "../matching/kline-matcher.js";
import type { MarketHistory } from "./market-history.js";

/**
 * Truncates history to what the bot has received by an instant of its clock. Nothing later is left,
 * so an attempt to read data still in transit finds none. For the exchange everything stamped
 * before the instant remains.
 */
export class HistoryTruncator {
  readonly #cutUs: number | undefined;
  /** Messages do not overtake each other: once one has not been received, none after it has. */
  #isOver = false;

  /** @param cutUs microseconds since 1970; undefined leaves all of a history. */
  constructor(cutUs: number | undefined) {
    this.#cutUs = cutUs;
  }

  truncate(history: MarketHistory): MarketHistory {
    if (this.#cutUs === undefined) return history;
    return history.grade === "klines"
      ? { ...history, klines: closedBy(history.klines, this.#cutUs) }
      : { ...history, tape: this.truncateTape(history.tape) };
  }

  /** Truncates the next tape in the same way. */
  truncateTape(tape: Tape): Tape {
    const cutUs = this.#cutUs;
    if (cutUs === undefined) return tape;
    const received = this.#isOver ? [] : receivedMessages(tape, cutUs);
    if (received.length < tape.messages) this.#isOver = true;
    return received.length === tape.messages ? tape : messagesOf(tape, received);
  }

  /** Marks after the cutoff are never received, but the exchange has them all the same. */
  truncateMarks(marks: MarkTape | undefined): MarkTape | undefined {
    const cutUs = this.#cutUs;
    if (marks === undefined || cutUs === undefined) return marks;
    return {
      ...marks,
      localUs: marks.localUs.map((us) => (us <= cutUs ? us : Number.POSITIVE_INFINITY)),
    };
  }
}

/** The messages of a reference source that were received by an instant. */
export function truncateReference(tape: ReferenceTape, cutUs: number | undefined): ReferenceTape {
  if (cutUs === undefined) return tape;
  const after = tape.localUs.findIndex((us) => us > cutUs);
  return after === -1 ? tape : firstRows(tape, after);
}

/**
 * Candles as far as the exchange has come by an instant. The last candle ends at the point that its
 * path has reached.
 */
export function truncateKlines(
  klines: KlineTape,
  path: BarPath,
  cutUs: number | undefined,
): KlineTape {
  const { startUs, openTicks, highTicks, lowTicks, closeTicks, intervalUs } = klines;
  const begun = cutUs === undefined ? klines.bars : countUpTo(startUs, cutUs);
  const bar = begun - 1;
  if (cutUs === undefined || bar < 0 || cutUs >= startUs[bar] + intervalUs - 1)
    return { ...klines, bars: begun };
  const [open, high, low] = [openTicks[bar], highTicks[bar], lowTicks[bar]];
  const isHighFirst = path === "adaptive" ? high - open < open - low : path === "ohlc";
  const thirds = Math.floor((3 * (cutUs - startUs[bar])) / intervalUs);
  const price = [open, isHighFirst ? high : low, isHighFirst ? low : high][thirds];
  const cut = {
    ...klines,
    bars: begun,
    highTicks: highTicks.slice(0, begun),
    lowTicks: lowTicks.slice(0, begun),
    closeTicks: closeTicks.slice(0, begun),
  };
  if (thirds < 2) cut.highTicks[bar] = cut.lowTicks[bar] = price;
  cut.closeTicks[bar] = price;
  return cut;
}

/** The candles that have ended. */
function closedBy(klines: KlineTape, cutUs: number): KlineTape {
  const bars = countUpTo(klines.startUs, cutUs - klines.intervalUs);
  const { startUs, openTicks, highTicks, lowTicks, closeTicks, lots } = klines;
  return {
    ...klines,
    bars,
    startUs: startUs.slice(0, bars),
    openTicks: openTicks.slice(0, bars),
    highTicks: highTicks.slice(0, bars),
    lowTicks: lowTicks.slice(0, bars),
    closeTicks: closeTicks.slice(0, bars),
    lots: lots.slice(0, bars),
  };
}

function countUpTo(ascendingUs: Float64Array, us: number): number {
  const after = ascendingUs.findIndex((at) => at > us);
  return after === -1 ? ascendingUs.length : after;
}

/** The numbers of the messages received by an instant, ascending. */
function receivedMessages({ messages, localUs }: Tape, cutUs: number): number[] {
  const received: number[] = [];
  for (let message = 0; message < messages; message++)
    if (localUs[message] <= cutUs) received.push(message);
  return received;
}

/** Copies some messages of a tape. */
function messagesOf(tape: Tape, kept: readonly number[]): Tape {
  const firstRow = (message: number): number => (message === 0 ? 0 : tape.rowEnd[message - 1]);
  const rows = kept.reduce((sum, message) => sum + tape.rowEnd[message] - firstRow(message), 0);
  const cut = {
    ...tape,
    messages: kept.length,
    rows,
    exchangeUs: Float64Array.from(kept, (message) => tape.exchangeUs[message]),
    localUs: Float64Array.from(kept, (message) => tape.localUs[message]),
    kind: Uint8Array.from(kept, (message) => tape.kind[message]),
    rowEnd: new Uint32Array(kept.length),
    signedTicks: new Int32Array(rows),
    lots: columnLike(tape.lots, rows),
  };
  let row = 0;
  for (const [at, message] of kept.entries()) {
    const [from, to] = [firstRow(message), tape.rowEnd[message]];
    cut.signedTicks.set(tape.signedTicks.subarray(from, to), row);
    cut.lots.set(tape.lots.subarray(from, to), row);
    row += to - from;
    cut.rowEnd[at] = row;
  }
  return { ...cut, byLocal: ascendingOrder(cut.localUs) };
}
