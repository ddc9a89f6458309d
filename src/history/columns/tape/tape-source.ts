import type { MarketId } from "../../../core/units.js";
import { clipSpans, mergeSpans, type Span } from "../../spans.js";
import type { HistoryStore } from "../../store/history-store.js";
import type { DayTapeOptions } from "../day-tape.js";
import { BOOK_LOST_SIZE, isBookLost, lostSpans, makeBookLostTape } from "../lost-book.js";
import type { SourceDay } from "../source-day.js";
import { msSpan, type TapeDays } from "../tape-days.js";
import { blockColumns } from "./block-layout.js";
import { BlockReader } from "./block-reader.js";
import type { Tape } from "./tape.js";
import { TapeCut } from "./tape-cut.js";

/** The inputs of a source. */
interface TapeSourceDeps {
  readonly store: HistoryStore;
  readonly market: MarketId;
  /** Ascending. The first may lie before the span if its book continues into it. */
  readonly days: readonly SourceDay[];
  readonly gaps: TapeDays["gaps"];
  readonly fromUs: number;
  /** Exclusive. */
  readonly toUs: number;
  readonly options: DayTapeOptions;
}

/**
 * The books and trades of a span, tape by tape in the order of the exchange's clock, so that a
 * history larger than memory can be replayed. The next tape is read while one is replayed. The book
 * at the end of one tape continues in the next. The last messages of a tape may arrive after the
 * next tape begins, since the local clock runs across the boundary.
 */
export class TapeSource implements AsyncIterable<Tape> {
  readonly market: MarketId;
  /** The days to read, with the checksums of their sources. */
  readonly days: readonly SourceDay[];
  /** The gaps of the store in the span, and the times at which the book is unknown. */
  readonly gaps: TapeDays["gaps"];
  readonly #parts: TapeSourceDeps;
  /** The days at whose beginning the book is unknown. */
  readonly #lost: ReadonlySet<SourceDay>;
  readonly #lent = new WeakMap<Tape, ArrayBuffer>();
  #free: ArrayBuffer[] = [];

  constructor(parts: TapeSourceDeps) {
    this.#parts = parts;
    this.market = parts.market;
    this.days = parts.days;
    const booked = parts.days.filter(({ input }) => input.book !== undefined);
    this.#lost = new Set(booked.filter((day, at) => isBookLost(day, booked[at - 1]?.input.book)));
    const span = msSpan(parts.fromUs, parts.toUs);
    const isUnknown = (day: SourceDay): boolean =>
      this.#lost.has(day) || (day === booked[0] && !day.tape.footer.beginsWhole);
    const lost = lostSpans(booked, isUnknown, span[1]);
    this.gaps = withLost(parts.gaps, clipSpans(lost, span));
  }

  /**
   * Upper bounds of the messages and rows in the span, without the book at its beginning; and true
   * if any tape, or that book, may be wide.
   */
  get bound(): { readonly messages: number; readonly rows: number; readonly isWide: boolean } {
    const { fromUs, toUs } = this.#parts;
    let messages = this.#lost.size * BOOK_LOST_SIZE.messages;
    let rows = this.#lost.size * BOOK_LOST_SIZE.rows;
    let isWide = false;
    for (const { tape } of this.days) {
      for (const block of tape.footer.blocks) {
        isWide ||= block.isWide;
        if (block.lastUs < fromUs || block.firstUs >= toUs) continue;
        messages += block.messages;
        rows += block.rows;
      }
    }
    return { messages, rows, isWide };
  }

  /**
   * Reads the tapes from the first. If the span begins within a day, the first tape is the book at
   * that instant: a snapshot, an update of the levels beyond it, or both.
   * @throws HistoryError if a file was damaged since it was opened
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Tape, void> {
    const cut = new TapeCut(this.#parts.fromUs, this.#parts.toUs);
    const blocks = this.#blocks();
    let next = blocks.next();
    try {
      for (;;) {
        const { value: whole, done } = await next;
        if (done === true) return;
        next = blocks.next();
        // A caller that stops here never awaits this promise, so its rejection must be handled. A
        // caller that continues awaits it and gets the error.
        next.catch(() => undefined);
        const memory = this.#lent.get(whole);
        for (const tape of cut.take(whole)) {
          if (memory !== undefined && tape.exchangeUs.buffer === memory)
            this.#lent.set(tape, memory);
          yield tape;
        }
      }
    } finally {
      await next.catch(() => undefined);
      await blocks.return();
    }
  }

  /**
   * Returns the memory of a tape that is no longer used, for one of the next tapes. Without this
   * call every tape allocates its own memory.
   */
  release(tape: Tape): void {
    const memory = this.#lent.get(tape);
    if (memory === undefined) return;
    this.#lent.delete(tape);
    this.#free.push(memory);
  }

  async *#blocks(): AsyncGenerator<Tape, void> {
    const { store, market, options, toUs } = this.#parts;
    const { tickSize, stepSize } = options.steps;
    for (const day of this.days) {
      const { input, tape } = day;
      if (this.#lost.has(day)) yield makeBookLostTape(market, options.steps, day);
      const reader = new BlockReader(store, input, tape, options);
      try {
        for (const [at, { firstUs }] of tape.footer.blocks.entries()) {
          if (firstUs >= toUs) return;
          const { note, memory } = await reader.read(at, (bytes) => this.#memory(bytes));
          const columns = blockColumns(memory, note);
          const whole = {
            marketId: market,
            tickSize,
            stepSize,
            messages: note.messages,
            rows: note.rows,
            ...columns,
          };
          this.#lent.set(whole, memory);
          yield whole;
        }
      } finally {
        await reader.close();
      }
    }
  }

  #memory(bytes: number): ArrayBuffer {
    const at = this.#free.findIndex(({ byteLength }) => byteLength >= bytes);
    if (at !== -1) return this.#free.splice(at, 1)[0] as ArrayBuffer;
    // It replaces a buffer that is too small and would never be used again.
    this.#free.pop();
    return new ArrayBuffer(bytes);
  }
}

function withLost(gaps: TapeDays["gaps"], lost: readonly Span[]): TapeDays["gaps"] {
  if (lost.length === 0) return gaps;
  const missing = gaps.flatMap(({ kind, span }) => (kind === "book" ? [span] : []));
  const book = mergeSpans([...missing, ...lost]).map((span) => ({ kind: "book" as const, span }));
  return [...book, ...gaps.filter(({ kind }) => kind !== "book")];
}
