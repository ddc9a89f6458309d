import { FormatError } from "../../../core/errors.js";
import type { Lots, MarketId, Side, Ticks } from "../../../core/units.js";
import { ascendingOrder } from "./ascending-order.js";
import {
  columnLike,
  isWide,
  type LotsColumn,
  MOST_LOTS,
  MOST_NARROW_LOTS,
  widen,
} from "./lots-column.js";
import { orderTape } from "./order-tape.js";
import { LEAST_TICKS, MOST_TICKS, type Tape, TapeKind } from "./tape.js";

/** The units of a tape's integers. */
export interface TapeGrid {
  readonly marketId: MarketId;
  /** Decimal strings. */
  readonly tickSize: string;
  readonly stepSize: string;
}
const FIRST_CAPACITY = 1024;

/**
 * Builds a {@link Tape} from messages in memory, in any order. {@link build} sorts them by the
 * exchange's clock, then by `seq`, then by insertion. For a whole day of the store see `openTapes`.
 */
export class TapeBuilder {
  readonly #grid: TapeGrid;
  #messages = 0;
  #rows = 0;
  #exchangeUs = new Float64Array(FIRST_CAPACITY);
  #localUs = new Float64Array(FIRST_CAPACITY);
  #seq = new Float64Array(FIRST_CAPACITY);
  #kind = new Uint8Array(FIRST_CAPACITY);
  #rowEnd = new Uint32Array(FIRST_CAPACITY);
  #signedTicks = new Int32Array(FIRST_CAPACITY);
  #lots: LotsColumn = new Uint32Array(FIRST_CAPACITY);

  constructor(grid: TapeGrid) {
    this.#grid = grid;
  }

  /**
   * Begins a whole book; add its levels next.
   * @param localUs when the recorder received it, not before `exchangeUs`.
   * @throws FormatError for invalid stamps
   */
  snapshot(exchangeUs: number, localUs: number, seq?: number): this {
    return this.#begin(TapeKind.bookSnapshot, exchangeUs, localUs, seq);
  }

  /** Begins an update of the book; add its levels next. @throws FormatError for invalid stamps */
  update(exchangeUs: number, localUs: number, seq?: number): this {
    return this.#begin(TapeKind.bookUpdate, exchangeUs, localUs, seq);
  }

  /** Marks the book as unknown from here on. @throws FormatError for invalid stamps */
  lost(exchangeUs: number, localUs: number, seq?: number): this {
    this.#begin(TapeKind.bookLost, exchangeUs, localUs, seq);
    this.#row("BUY", LEAST_TICKS, 0);
    this.#row("SELL", MOST_TICKS, 0);
    return this;
  }

  /**
   * Adds a level to the current book message, with its absolute amount; 0 deletes it.
   * @throws FormatError if a column cannot hold it
   */
  level(side: Side, ticks: Ticks, lots: Lots): this {
    if (this.#messages === 0 || this.#kind[this.#messages - 1] === TapeKind.trade) {
      throw new FormatError("does not belong to a message of a book", {
        field: "level",
        value: ticks,
        expected: "a call of snapshot() or update() before it",
      });
    }
    this.#row(side, ticks, lots);
    return this;
  }

  /**
   * Adds a public trade.
   * @param takerSide BUY if the taker bought.
   * @throws FormatError if a column cannot hold it
   */
  trade(
    exchangeUs: number,
    localUs: number,
    takerSide: Side,
    ticks: Ticks,
    lots: Lots,
    seq?: number,
  ): this {
    if (lots === 0)
      throw new FormatError("has no positive amount", {
        field: "lots",
        value: lots,
        expected: "an amount above zero, in lots",
      });
    this.#begin(TapeKind.trade, exchangeUs, localUs, seq);
    this.#row(takerSide, ticks, lots);
    return this;
  }

  /**
   * Builds the tape of all messages so far, in separate memory. More messages may be added
   * afterwards.
   */
  build(): Tape {
    const columns = {
      ...this.#grid,
      messages: this.#messages,
      rows: this.#rows,
      exchangeUs: this.#exchangeUs,
      localUs: this.#localUs,
      kind: this.#kind,
      rowEnd: this.#rowEnd,
      signedTicks: this.#signedTicks,
      lots: this.#lots,
    };
    return orderTape(columns, this.#order());
  }

  /**
   * Indices of the messages by exchange stamp and sequence number; undefined if they are in that
   * order.
   */
  #order(): Uint32Array | undefined {
    const bySeq = ascendingOrder(this.#seq, this.#messages);
    if (bySeq === undefined) return ascendingOrder(this.#exchangeUs, this.#messages);
    const stamps = new Float64Array(this.#messages);
    for (let at = 0; at < this.#messages; at++)
      stamps[at] = this.#exchangeUs[bySeq[at] as number] as number;
    const order = ascendingOrder(stamps);
    return order === undefined ? bySeq : order.map((at) => bySeq[at] as number);
  }

  #begin(kind: TapeKind, exchangeUs: number, localUs: number, seq = this.#messages): this {
    if (!Number.isSafeInteger(exchangeUs)) throw notWhole("exchangeUs", exchangeUs);
    if (!Number.isSafeInteger(localUs)) throw notWhole("localUs", localUs);
    if (!Number.isSafeInteger(seq)) throw notWhole("seq", seq);
    if (localUs < exchangeUs) {
      throw new FormatError("is earlier than the exchange's time", {
        field: "localUs",
        value: localUs,
        expected: `at least ${exchangeUs} us; correct the recorder's clock first`,
      });
    }
    const at = this.#messages;
    if (at === this.#kind.length) this.#growMessages();
    this.#exchangeUs[at] = exchangeUs;
    this.#localUs[at] = localUs;
    this.#seq[at] = seq;
    this.#kind[at] = kind;
    this.#rowEnd[at] = this.#rows;
    this.#messages = at + 1;
    return this;
  }

  #row(side: Side, ticks: Ticks, lots: Lots): void {
    if (!Number.isInteger(ticks) || ticks < LEAST_TICKS || ticks > MOST_TICKS) {
      throw new FormatError("is not a valid price", {
        field: "ticks",
        value: ticks,
        expected: `1 to ${MOST_TICKS} whole ticks`,
      });
    }
    if (!Number.isInteger(lots) || lots < 0 || lots > MOST_LOTS) {
      throw new FormatError("is not a valid amount", {
        field: "lots",
        value: lots,
        expected: `0 to ${MOST_LOTS} whole lots`,
      });
    }
    const at = this.#rows;
    if (at === this.#lots.length) {
      this.#signedTicks = grown(this.#signedTicks, new Int32Array(2 * at));
      this.#lots = grown(this.#lots, columnLike(this.#lots, 2 * at));
    }
    if (lots > MOST_NARROW_LOTS && !isWide(this.#lots)) this.#lots = widen(this.#lots);
    this.#signedTicks[at] = side === "BUY" ? ticks : -ticks;
    this.#lots[at] = lots;
    this.#rows = at + 1;
    this.#rowEnd[this.#messages - 1] = this.#rows;
  }

  #growMessages(): void {
    const capacity = 2 * this.#kind.length;
    this.#exchangeUs = grown(this.#exchangeUs, new Float64Array(capacity));
    this.#localUs = grown(this.#localUs, new Float64Array(capacity));
    this.#seq = grown(this.#seq, new Float64Array(capacity));
    this.#kind = grown(this.#kind, new Uint8Array(capacity));
    this.#rowEnd = grown(this.#rowEnd, new Uint32Array(capacity));
  }
}

function grown<Column extends { set(from: Column): void }>(from: Column, to: Column): Column {
  to.set(from);
  return to;
}

function notWhole(field: string, value: number): FormatError {
  return new FormatError("is not a valid time or sequence number", {
    field,
    value,
    expected: "a whole number below 2^53",
  });
}
