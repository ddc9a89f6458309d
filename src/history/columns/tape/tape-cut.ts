import { ascendingOrder } from "./ascending-order.js";
import { BookState, type BookStateRows } from "./book-state.js";
import { type Tape, TapeKind } from "./tape.js";
import { TapeBuilder } from "./tape-builder.js";

/**
 * Cuts consecutive tapes to a span of the exchange's clock, and keeps the book at its beginning.
 */
export class TapeCut {
  readonly #fromUs: number;
  readonly #toUs: number;
  /** Undefined once the span has begun. */
  #bookBefore: BookState | undefined = new BookState();

  /** @param toUs exclusive. */
  constructor(fromUs: number, toUs: number) {
    this.#fromUs = fromUs;
    this.#toUs = toUs;
  }

  /**
   * Returns the parts of the next tape that lie in the span: nothing, its messages, or the book
   * before them and its messages. Its row ends may be changed.
   */
  take(tape: Tape): readonly Tape[] {
    const from = this.#bookBefore === undefined ? 0 : firstAt(tape, this.#fromUs);
    const to = firstAt(tape, this.#toUs);
    this.#bookBefore?.play(tape, Math.min(from, to));
    // If only later messages follow, the book did not change during the span.
    if (from >= to && to === tape.messages) return [];
    const initialBook = this.#bookBefore;
    this.#bookBefore = undefined;
    const before = initialBook === undefined ? undefined : this.#begin(initialBook, tape, from);
    const kept =
      from >= to ? undefined : from === 0 && to === tape.messages ? tape : between(tape, from, to);
    return [before, kept].filter((one) => one !== undefined);
  }

  /**
   * Builds the book at the beginning: its known part as a snapshot, the rest as an update. Both are
   * received when all of it was, but not after the message that follows, wherever the span ends.
   * @param next the first message of the tape that is not in it.
   */
  #begin(initialBook: BookState, tape: Tape, next: number): Tape | undefined {
    const beyond = initialBook.rowsBeyondKnown();
    if (!initialBook.isKnown && beyond.length === 0) return undefined;
    let nextHeardUs = Number.POSITIVE_INFINITY;
    for (let at = next; at < tape.messages; at++) {
      if (tape.kind[at] !== TapeKind.trade)
        nextHeardUs = Math.min(nextHeardUs, tape.localUs[at] as number);
    }
    const { marketId, tickSize, stepSize } = tape;
    const builder = new TapeBuilder({ marketId, tickSize, stepSize });
    const receivedUs = Math.max(this.#fromUs, Math.min(initialBook.receivedUs, nextHeardUs));
    if (initialBook.isKnown)
      addRows(builder.snapshot(this.#fromUs, receivedUs), initialBook.knownRows());
    if (beyond.length > 0) addRows(builder.update(this.#fromUs, receivedUs), beyond);
    return builder.build();
  }
}

function addRows(builder: TapeBuilder, rows: BookStateRows): void {
  for (const [signedTicks, lots] of rows)
    builder.level(signedTicks > 0 ? "BUY" : "SELL", Math.abs(signedTicks), lots);
}

/** The index of the first message at or after an instant of the exchange's clock. */
function firstAt({ exchangeUs, messages }: Tape, us: number): number {
  let [low, high] = [0, messages];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((exchangeUs[middle] as number) < us) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Some messages of a tape, sharing the tape's memory. */
function between(tape: Tape, from: number, to: number): Tape {
  const firstRow = from === 0 ? 0 : (tape.rowEnd[from - 1] as number);
  const lastRow = tape.rowEnd[to - 1] as number;
  const rowEnd = tape.rowEnd.subarray(from, to);
  for (let at = 0; at < rowEnd.length; at++) rowEnd[at] = (rowEnd[at] as number) - firstRow;
  const localUs = tape.localUs.subarray(from, to);
  return {
    marketId: tape.marketId,
    tickSize: tape.tickSize,
    stepSize: tape.stepSize,
    messages: to - from,
    rows: lastRow - firstRow,
    exchangeUs: tape.exchangeUs.subarray(from, to),
    localUs,
    kind: tape.kind.subarray(from, to),
    rowEnd,
    signedTicks: tape.signedTicks.subarray(firstRow, lastRow),
    lots: tape.lots.subarray(firstRow, lastRow),
    byLocal: ascendingOrder(localUs),
  };
}
