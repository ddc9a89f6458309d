import { type Tape, TapeKind } from "../../history/columns/tape/tape.js";
import { worstKeys } from "../../market/book/known-depth.js";
import type { ReadableBook } from "../../market/book/readable-book.js";
import { type BookRows, NO_KEY, PagedBookSide } from "./paged-book-side.js";

/**
 * Both sides of one replayed market. Reads the columns of a tape in place, and implements the
 * interface of every book.
 */
export class ReplayBook implements ReadableBook {
  readonly bids = new PagedBookSide("BUY");
  readonly asks = new PagedBookSide("SELL");

  /** Applies the rows from `from` to `to`, exclusive, each as a level with its absolute amount. */
  applyRows(rows: BookRows, from: number, to: number): void {
    const { bids, asks } = this;
    // Within a message all rows of one side come before those of the other.
    for (let row = from; row < to; )
      row = (rows.signedTicks[row] > 0 ? bids : asks).setRows(rows, row, to);
  }

  /**
   * Applies the rows of a whole book. On each side they replace every level from their own worst
   * price to the best; levels behind that price stay. A side without a row does not change.
   */
  applySnapshot(tape: BookRows, from: number, to: number): void {
    const least = worstKeys(tape.signedTicks, from, to);
    this.bids.clearFrom(least.bids);
    this.asks.clearFrom(least.asks);
    this.applyRows(tape, from, to);
  }

  /**
   * Applies the messages from `from` to `to`, exclusive, in the order of the exchange's clock.
   * Trades do not change the book.
   */
  applyMessages(tape: Tape, from: number, to: number): void {
    for (let message = from; message < to; message++) this.applyMessage(tape, message);
  }

  /** Applies the messages from `from` to `to`, exclusive, in the order of the local clock. */
  applyLocal(tape: Tape, from: number, to: number): void {
    const order = tape.byLocal;
    if (order === undefined) {
      this.applyMessages(tape, from, to);
      return;
    }
    for (let place = from; place < to; place++) this.applyMessage(tape, order[place]);
  }

  /** Applies one message. A trade changes nothing. */
  applyMessage(tape: Tape, message: number): void {
    const kind = tape.kind[message];
    if (kind === TapeKind.trade) return;
    const from = message === 0 ? 0 : tape.rowEnd[message - 1];
    if (kind === TapeKind.bookUpdate) this.applyRows(tape, from, tape.rowEnd[message]);
    else this.applySnapshot(tape, from, tape.rowEnd[message]);
  }

  /**
   * True if the best bid meets or passes the best ask. Only a recording that has not yet received
   * its snapshot shows this.
   */
  get crossed(): boolean {
    return (
      this.bids.bestKey !== NO_KEY &&
      this.asks.bestKey !== NO_KEY &&
      this.bids.bestKey >= -this.asks.bestKey
    );
  }
}
