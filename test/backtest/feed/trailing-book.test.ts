import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BookTrail } from "../../../src/backtest/book/book-trail.js";
import { ReplayBook } from "../../../src/backtest/book/replay-book.js";
import { TrailingBook } from "../../../src/backtest/feed/trailing-book.js";
import type { Side } from "../../../src/core/units.js";
import { type Tape, TapeKind } from "../../../src/history/columns/tape/tape.js";
import { TapeBuilder } from "../../../src/history/columns/tape/tape-builder.js";
import type { ReadableBook } from "../../../src/market/readable-book.js";

const GRID = { marketId: "btcusdt", tickSize: "0.1", stepSize: "0.001" };
const MID = 1000;

/** An exchange that plays tapes, as far as it is told to, and leaves its trail. */
class Exchange {
  readonly trail = new BookTrail();
  readonly #coming: Tape[];
  #next = 0;

  constructor(tapes: readonly Tape[]) {
    this.#coming = [...tapes];
  }

  playTo(untilUs: number): void {
    for (let tape = this.#coming[0]; tape !== undefined; tape = this.#coming[0]) {
      if (this.#next === 0) this.trail.turn(tape);
      for (; this.#next < tape.messages; this.#next++) {
        if ((tape.exchangeUs[this.#next] as number) > untilUs) return;
        if (tape.kind[this.#next] === TapeKind.trade) continue;
        this.trail.book.applyMessage(tape, this.#next);
        this.trail.tell(this.#next);
      }
      this.#coming.shift();
      this.#next = 0;
    }
  }
}

/** The messages of tapes in the order in which they are heard; `afterInstant` is called where the next one is heard later. */
function hearAll(
  tapes: readonly Tape[],
  hear: (tape: Tape, place: number, message: number, atUs: number) => void,
  afterInstant: () => void,
): void {
  for (const tape of tapes) {
    for (let place = 0; place < tape.messages; place++) {
      const message = tape.byLocal?.[place] ?? place;
      const next = tape.byLocal?.[place + 1] ?? place + 1;
      const atUs = tape.localUs[message] as number;
      if (tape.kind[message] !== TapeKind.trade) hear(tape, place, message, atUs);
      if (place + 1 === tape.messages || tape.localUs[next] !== atUs) afterInstant();
    }
  }
}

function best({ bids, asks }: ReadableBook): unknown {
  return [bids.bestTicks, bids.bestLots, asks.bestTicks, asks.bestLots];
}

/** How often the rows of a tape have been begun to be read. */
function counted(tape: Tape): { readonly tape: Tape; readonly reads: () => number } {
  let reads = 0;
  const watched = {
    ...tape,
    get signedTicks() {
      reads += 1;
      return tape.signedTicks;
    },
  };
  return { tape: watched, reads: () => reads };
}

describe("a book that trails the exchange's", () => {
  interface Made {
    readonly kind: "update" | "trade" | "snapshot" | "lost";
    readonly afterUs: number;
    readonly latencyUs: number;
    readonly rows: readonly { readonly side: Side; readonly away: number; readonly lots: number }[];
  }
  const message: fc.Arbitrary<Made> = fc.record({
    kind: fc.constantFrom<Made["kind"]>(
      "update",
      "update",
      "update",
      "update",
      "update",
      "update",
      "trade",
      "snapshot",
      "lost",
    ),
    afterUs: fc.constantFrom(0, 1, 5, 10),
    // Most are heard in turn; a late one is overtaken.
    latencyUs: fc.constantFrom(3, 3, 3, 3, 3, 3, 3, 40),
    rows: fc.array(
      fc.record({
        side: fc.constantFrom<Side>("BUY", "SELL"),
        away: fc.integer({ min: -1, max: 8 }),
        lots: fc.constantFrom(0, 1, 2, 3, 4_294_967_296),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  });
  const messages = fc.array(message, { minLength: 1, maxLength: 120 });

  function tapeOf(made: readonly Made[], fromUs: number): Tape {
    const builder = new TapeBuilder(GRID);
    let atUs = fromUs;
    for (const { kind, afterUs, latencyUs, rows } of made) {
      atUs += afterUs;
      if (kind === "trade") builder.trade(atUs, atUs + latencyUs, "BUY", MID, 1);
      else if (kind === "lost") builder.lost(atUs, atUs + latencyUs);
      else {
        builder[kind](atUs, atUs + latencyUs);
        for (const { side, away, lots } of rows)
          builder.level(side, side === "BUY" ? MID - away : MID + away, lots);
      }
    }
    return builder.build();
  }

  it("is the book that is heard, whatever overtakes what and however far the exchange is ahead or behind", () => {
    fc.assert(
      fc.property(
        fc.array(messages, { minLength: 1, maxLength: 3 }),
        fc.infiniteStream(fc.constantFrom(0, 0, 0, 0, 4, 40, -5)),
        fc.infiniteStream(fc.constantFrom(false, false, false, true)),
        (days, leads, reads) => {
          const tapes = days.map((made, day) => tapeOf(made, day * 100_000));
          const exchange = new Exchange(tapes);
          const trailing = new TrailingBook(tapes[0] as Tape, exchange.trail);
          const plain = new ReplayBook();
          let isHeard = false;
          hearAll(
            tapes,
            (tape, place, heard, atUs) => {
              exchange.playTo(atUs + (leads.next().value as number));
              trailing.turn(tape, place);
              trailing.hear(place, heard);
              plain.applyMessage(tape, heard);
              isHeard = true;
            },
            () => {
              if (!isHeard) return;
              isHeard = false;
              trailing.settle();
              expect(best(trailing)).toEqual(best(plain));
              expect(trailing.crossed).toBe(plain.crossed);
              for (const side of ["bids", "asks"] as const) {
                const [shown, known] = [new Float64Array(2), new Float64Array(2)];
                expect(trailing[side].topInto(shown, 1)).toBe(plain[side].topInto(known, 1));
                expect(shown).toEqual(known);
                if (reads.next().value !== true) continue;
                expect(trailing[side].top(4)).toEqual(plain[side].top(4));
                expect(trailing[side].levels).toBe(plain[side].levels);
                expect(trailing[side].lotsOf(MID + 3)).toBe(plain[side].lotsOf(MID + 3));
              }
            },
          );
          for (const side of ["bids", "asks"] as const) {
            const levels: unknown[] = [];
            trailing[side].walk((ticks, lots) => levels.push({ ticks, lots }) > 0);
            expect(levels).toEqual(plain[side].top(1000));
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  /** Updates of the two best prices and of one far away, each heard before the next is told, but for those of `late`. */
  function quietTape(updates: number, late: ReadonlySet<number> = new Set()): Tape {
    const builder = new TapeBuilder(GRID).snapshot(0, 1);
    for (let away = 1; away <= 50; away++)
      builder.level("BUY", MID - away, 5).level("SELL", MID + away, 5);
    for (let at = 1; at <= updates; at++) {
      builder.update(at * 10, at * 10 + (late.has(at) ? 15 : 1));
      builder.level("BUY", MID - 1, 5 + (at % 7)).level("SELL", MID + 1, 5 + (at % 5));
      if (late.has(at - 1) || late.has(at)) builder.level("BUY", MID - 40, at);
    }
    return builder.build();
  }

  function replay(made: Tape): {
    readonly reads: number;
    readonly trailing: TrailingBook;
    readonly plain: ReplayBook;
    readonly allReads: () => number;
  } {
    const { tape, reads } = counted(made);
    const exchange = new Exchange([tape]);
    const trailing = new TrailingBook(tape, exchange.trail);
    const plain = new ReplayBook();
    let ownReads = 0;
    hearAll(
      [tape],
      (_, place, heard, atUs) => {
        exchange.playTo(atUs);
        const before = reads();
        trailing.turn(tape, place);
        trailing.hear(place, heard);
        ownReads += reads() - before;
        plain.applyMessage(made, heard);
      },
      () => {
        const before = reads();
        trailing.settle();
        ownReads += reads() - before;
        expect(best(trailing)).toEqual(best(plain));
      },
    );
    const allReads = (): number => {
      const before = reads();
      new ReplayBook().applyMessages(tape, 0, tape.messages);
      return reads() - before;
    };
    return { reads: ownReads, trailing, plain, allReads };
  }

  it("reads no row of what is heard in turn, until somebody asks for more than the best", () => {
    const { reads, trailing, plain } = replay(quietTape(200));
    expect(reads).toBe(0);
    expect(trailing.bids.top(60)).toEqual(plain.bids.top(60));
    expect(trailing.asks.lotsOf(MID + 50)).toBe(5);
  });

  it("goes by itself once a message was overtaken, and only until both books are found to be one where it matters", () => {
    const { reads, trailing, plain, allReads } = replay(quietTape(2000, new Set([20])));
    expect(reads).toBeGreaterThan(0);
    expect(reads).toBeLessThan(allReads() / 10);
    // The one that was overtaken has the last word here, and not at the exchange.
    expect(trailing.bids.lotsOf(MID - 40)).toBe(plain.bids.lotsOf(MID - 40));
    expect(trailing.bids.lotsOf(MID - 40)).toBe(20);
  });

  it("is not taken for the exchange's while it lacks a message, though both should look alike just then", () => {
    const builder = new TapeBuilder(GRID)
      .snapshot(0, 1)
      .level("BUY", MID - 1, 5)
      .level("SELL", MID + 1, 5);
    // Long enough in turn for the books to be compared as soon as they part.
    for (let at = 1; at <= 200; at++)
      builder.update(at * 10, at * 10 + 1).level("BUY", MID - 1, 5 + (at % 7));
    builder.update(2010, 2041).level("BUY", MID, 1);
    builder.update(2020, 2035).level("SELL", MID + 2, 1);
    builder.update(2030, 2031).level("BUY", MID, 0);
    builder.update(2040, 2042).level("SELL", MID + 3, 1);
    // The exchange had the bid for a moment. It is heard last, and stays.
    expect(replay(builder.build()).trailing.bids.bestTicks).toBe(MID);
  });

  it("hears a tape that is given twice from its beginning once more", () => {
    const tape = quietTape(3);
    const trailing = new TrailingBook(tape);
    const plain = new ReplayBook();
    for (let round = 0; round < 2; round++) {
      for (let place = 0; place < tape.messages; place++) {
        trailing.turn(tape, place);
        trailing.hear(place, place);
        plain.applyMessage(tape, place);
        trailing.settle();
        expect(best(trailing)).toEqual(best(plain));
      }
    }
  });
});
