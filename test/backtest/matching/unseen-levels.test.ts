import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BookMatcher } from "#backtest/book-matcher.js";
import { createQueueModel } from "#core/queue-model-names.js";
import type { Tape } from "#history/tape.js";
import { TapeBuilder } from "#history/tape-builder.js";
import { TapeCut } from "#history/tape-cut.js";
import { Heard, order } from "./heard.js";

const GRID = { marketId: "btcusdt", tickSize: "0.1", stepSize: "0.001" };

/**
 * A recorder that truncates its books: bids 100 x 10, 99 x 20; asks 102 x 10, 103 x 20, at 1,000
 * us.
 */
const cut = (): TapeBuilder =>
  new TapeBuilder(GRID)
    .snapshot(1000, 1000)
    .level("BUY", 100, 10)
    .level("BUY", 99, 20)
    .level("SELL", 102, 10)
    .level("SELL", 103, 20);
/** The same book, complete: there is no price beyond. */
const whole = (): TapeBuilder =>
  cut()
    .level("BUY", 1, 0)
    .level("SELL", 2 ** 31 - 1, 0);

/** The outcome of an order that arrived at 1,500 us in a market that continued. */
function storyOf(
  tape: TapeBuilder,
  side: "BUY" | "SELL",
  ticks: number,
  queue = "risk-averse",
): string[] {
  return storyOn([tape.build()], side, ticks, queue);
}

/** The same for a history in parts. */
function storyOn(
  [tape, ...others]: readonly Tape[],
  side: "BUY" | "SELL",
  ticks: number,
  queue = "risk-averse",
): string[] {
  const heard = new Heard();
  const matcher = new BookMatcher({
    tape: tape as Tape,
    listener: heard,
    queue: createQueueModel(queue, 0.001),
  });
  for (const other of others) matcher.extend(other);
  matcher.advance(1500, true);
  matcher.place(order(1, side, ticks, 7), 1500);
  while (matcher.advance(1_000_000, true) < 1_000_000);
  return heard.story;
}

// A recording of the best twenty levels does not show the twenty-first. Placed ahead of everyone
// there, an order would be filled by the first taker, and live by the last. The deeper a quote, the
// more such a backtest overstates its profit.
describe("an order beyond the levels that a recording shows", () => {
  /** The market falls to 97, where 50 lots rest that no book had shown. */
  const comeDown = (tape: TapeBuilder): TapeBuilder =>
    tape
      .snapshot(2000, 2000)
      .level("BUY", 98, 5)
      .level("BUY", 97, 50)
      .level("SELL", 99, 10)
      .level("SELL", 101, 10);

  it.each(["risk-averse", "log", "power-2"])(
    "is behind all that its price shows when a book first shows it (%s)",
    (queue) => {
      expect(storyOf(comeDown(cut()).trade(3000, 3000, "SELL", 97, 50), "BUY", 97, queue)).toEqual(
        [],
      );
      expect(storyOf(comeDown(cut()).trade(3000, 3000, "SELL", 97, 53), "BUY", 97, queue)).toEqual([
        "1 3@97 queue",
      ]);
      const up = (lots: number): TapeBuilder =>
        cut()
          .snapshot(2000, 2000)
          .level("BUY", 103, 5)
          .level("SELL", 104, 5)
          .level("SELL", 105, 50)
          .trade(3000, 3000, "BUY", 105, lots);
      expect(storyOf(up(50), "SELL", 105, queue)).toEqual([]);
      expect(storyOf(up(53), "SELL", 105, queue)).toEqual(["1 3@105 queue"]);
    },
  );

  it("waits also where an update shows its price, and no earlier trade at its price reaches it", () => {
    const tape = cut().trade(1600, 1600, "SELL", 97, 9).update(2000, 2000).level("BUY", 97, 50);
    expect(storyOf(tape.trade(3000, 3000, "SELL", 97, 52), "BUY", 97)).toEqual(["1 2@97 queue"]);
  });

  it("is first in the queue where a book shows an empty level", () => {
    const tape = cut()
      .snapshot(2000, 2000)
      .level("BUY", 98, 5)
      .level("BUY", 96, 5)
      .level("SELL", 99, 5);
    expect(
      storyOf(
        tape.update(2500, 2500).level("BUY", 97, 40).trade(3000, 3000, "SELL", 97, 4),
        "BUY",
        97,
      ),
    ).toEqual(["1 4@97 queue"]);
  });

  it("is first in the queue where the best price has fallen below its own", () => {
    const tape = cut()
      .update(2000, 2000)
      .level("BUY", 96, 5)
      .level("BUY", 100, 0)
      .level("BUY", 99, 0);
    expect(storyOf(tape.trade(3000, 3000, "SELL", 97, 4), "BUY", 97)).toEqual(["1 4@97 queue"]);
  });

  it("is filled completely by a trade beyond its price, like any other", () => {
    expect(storyOf(cut().trade(2000, 2000, "SELL", 96, 1), "BUY", 97)).toEqual(["1 7@97 through"]);
    expect(storyOf(cut().update(2000, 2000).level("SELL", 97, 1), "BUY", 97)).toEqual([
      "1 7@97 cross",
    ]);
  });

  it("is first at an empty price of a whole book, and between the levels or inside the spread of a truncated one", () => {
    expect(storyOf(whole().trade(2000, 2000, "SELL", 97, 4), "BUY", 97)).toEqual(["1 4@97 queue"]);
    expect(storyOf(whole().trade(2000, 2000, "BUY", 105, 4), "SELL", 105)).toEqual([
      "1 4@105 queue",
    ]);
    expect(storyOf(cut().trade(2000, 2000, "SELL", 101, 4), "BUY", 101)).toEqual(["1 4@101 queue"]);
  });

  it("has an unknown queue from the loss of the book to its next snapshot, at any price", () => {
    const tape = whole()
      .lost(1200, 1200)
      .update(2000, 2000)
      .level("BUY", 100, 30)
      .level("SELL", 102, 5);
    expect(storyOf(tape.trade(3000, 3000, "SELL", 100, 30), "BUY", 100)).toEqual([]);
  });
});

// A gap in a recording does not empty the queue. An order that moved to the front by one would be
// filled by the first seller, for as long as it rests.
describe("an order that rests when the book is lost", () => {
  /**
   * It is behind ten lots at 100 when the book is lost, and four are sold there before the next
   * book is published.
   */
  const lostAmidQueue = (): TapeBuilder =>
    whole().lost(1600, 1600).trade(1700, 1700, "SELL", 100, 4);
  const told = (lots: number): TapeBuilder =>
    lostAmidQueue().snapshot(2000, 2000).level("BUY", 100, lots).level("SELL", 102, 5);

  it.each(["risk-averse", "log", "log2", "power-2", "power3-3"])(
    "keeps its place, less what was sold meanwhile (%s)",
    (queue) => {
      expect(storyOf(lostAmidQueue().trade(1800, 1800, "SELL", 100, 6), "BUY", 100, queue)).toEqual(
        [],
      );
      expect(storyOf(told(30).trade(3000, 3000, "SELL", 100, 6), "BUY", 100, queue)).toEqual([]);
      expect(storyOf(told(30).trade(3000, 3000, "SELL", 100, 8), "BUY", 100, queue)).toEqual([
        "1 2@100 queue",
      ]);
    },
  );

  it("has no more ahead of it than the next book shows", () => {
    expect(storyOf(told(2).trade(3000, 3000, "SELL", 100, 3), "BUY", 100)).toEqual([
      "1 1@100 queue",
    ]);
    const empty = lostAmidQueue().snapshot(2000, 2000).level("BUY", 99, 5).level("SELL", 102, 5);
    expect(storyOf(empty.trade(3000, 3000, "SELL", 100, 3), "BUY", 100)).toEqual(["1 3@100 queue"]);
  });

  it("is reached at once where it was first in the queue, and filled by a trade beyond its price", () => {
    const sold = (ticks: number): TapeBuilder =>
      whole().lost(1600, 1600).trade(1700, 1700, "SELL", ticks, 3);
    expect(storyOf(sold(101), "BUY", 101)).toEqual(["1 3@101 queue"]);
    expect(storyOf(sold(99), "BUY", 100)).toEqual(["1 7@100 through"]);
  });

  it("keeps its place ahead of a later order of ours at its price", () => {
    const heard = new Heard();
    const tape = told(30)
      .trade(3000, 3000, "SELL", 100, 8)
      .trade(3100, 3100, "SELL", 100, 20)
      .trade(3200, 3200, "SELL", 100, 9);
    const matcher = new BookMatcher({
      tape: tape.build(),
      listener: heard,
      queue: createQueueModel("risk-averse", 0.001),
    });
    matcher.advance(1500, true);
    matcher.place(order(1, "BUY", 100, 7), 1500);
    while (matcher.advance(1750, true) < 1750);
    matcher.place(order(2, "BUY", 100, 7), 1750);
    while (matcher.advance(1_000_000, true) < 1_000_000);
    // Six of ten are ahead of the first; of the thirty that the book shows none is behind the
    // second. Of 37 sold the first gets its seven.
    expect(heard.story).toEqual(["1 2@100 queue", "1 5@100 queue"]);
  });
});

// A run over the afternoon of a recorded day starts from the book at noon, built from the morning's
// messages. Levels that the morning's snapshots did not show are not in it either.
describe("an order beyond the levels that were known when a span began in the middle of a recording", () => {
  /** The part that a run from 1,400 us on plays. */
  const fromNoon = (tape: TapeBuilder): readonly Tape[] =>
    new TapeCut(1400, 1_000_000).take(tape.build());

  /**
   * The market was lower once, and its old levels are still in the book; its last snapshot reaches
   * down to 99.
   */
  const risen = (): TapeBuilder =>
    new TapeBuilder(GRID)
      .snapshot(900, 900)
      .level("BUY", 91, 8)
      .level("BUY", 90, 9)
      .level("SELL", 92, 10)
      .snapshot(1000, 1000)
      .level("BUY", 100, 10)
      .level("BUY", 99, 20)
      .level("SELL", 102, 10)
      .level("SELL", 103, 20);

  it("is behind everything that its price shows, though old levels remain farther down", () => {
    const tape = (lots: number): TapeBuilder =>
      risen()
        .snapshot(2000, 2000)
        .level("BUY", 98, 5)
        .level("BUY", 97, 50)
        .level("SELL", 99, 10)
        .trade(3000, 3000, "SELL", 97, lots);
    expect(storyOf(tape(50), "BUY", 97)).toEqual([]);
    expect(storyOn(fromNoon(tape(50)), "BUY", 97)).toEqual([]);
    expect(storyOn(fromNoon(tape(53)), "BUY", 97)).toEqual(["1 3@97 queue"]);
  });

  it("is behind the size that only an update showed at its price", () => {
    const tape = (): TapeBuilder =>
      cut().update(1100, 1100).level("BUY", 96, 30).trade(3000, 3000, "SELL", 96, 33);
    expect(storyOf(tape(), "BUY", 96)).toEqual(["1 3@96 queue"]);
    expect(storyOn(fromNoon(tape()), "BUY", 96)).toEqual(["1 3@96 queue"]);
  });

  it("is first at an empty price of a whole book, at the last price of a snapshot, and where the best price has passed", () => {
    const sold = (tape: TapeBuilder, ticks: number): TapeBuilder =>
      tape.trade(3000, 3000, "SELL", ticks, 4);
    expect(storyOn(fromNoon(sold(whole(), 97)), "BUY", 97)).toEqual(["1 4@97 queue"]);
    expect(storyOn(fromNoon(whole().trade(3000, 3000, "BUY", 105, 4)), "SELL", 105)).toEqual([
      "1 4@105 queue",
    ]);
    expect(
      storyOn(fromNoon(sold(cut().update(1100, 1100).level("BUY", 99, 0), 99)), "BUY", 99),
    ).toEqual(["1 4@99 queue"]);
    const fallen = cut()
      .update(1100, 1100)
      .level("BUY", 96, 5)
      .level("BUY", 100, 0)
      .level("BUY", 99, 0);
    const back = fallen.update(1200, 1200).level("BUY", 98, 6).level("BUY", 96, 0);
    expect(storyOn(fromNoon(sold(back, 97)), "BUY", 97)).toEqual(["1 4@97 queue"]);
  });

  it.each(["BUY", "SELL"] as const)(
    "gets the same fills as if the run had begun with the recording (%s)",
    (side) => {
      const step = fc.record({
        kind: fc.constantFrom("snapshot", "update", "lost"),
        levels: fc.array(
          fc.tuple(
            fc.constantFrom("BUY", "SELL"),
            fc.integer({ min: 1, max: 12 }),
            fc.integer({ min: 0, max: 9 }),
          ),
          {
            maxLength: 6,
          },
        ),
      });
      fc.assert(
        fc.property(
          fc.array(step, { maxLength: 8 }),
          fc.array(step, { minLength: 1, maxLength: 8 }),
          fc.integer({ min: 1, max: 12 }),
          (before, after, away) => {
            const tape = new TapeBuilder(GRID);
            const tell = ({ kind, levels }: (typeof before)[number], us: number): void => {
              if (kind === "lost") tape.lost(us, us);
              else tape[kind === "snapshot" ? "snapshot" : "update"](us, us);
              // Bids from 100 down and asks from 101 up, so that nothing crosses.
              if (kind !== "lost")
                for (const [of, far, lots] of bySide(levels))
                  tape.level(of, of === "BUY" ? 101 - far : 100 + far, lots);
            };
            for (const [at, each] of before.entries()) tell(each, 1000 + at);
            const ticks = side === "BUY" ? 101 - away : 100 + away;
            for (const [at, each] of after.entries()) {
              tell(each, 2000 + 10 * at);
              tape.trade(2005 + 10 * at, 2005 + 10 * at, side === "BUY" ? "SELL" : "BUY", ticks, 3);
            }
            const whole = tape.build();
            expect(storyOn(fromNoon(tape), side, ticks)).toEqual(storyOn([whole], side, ticks));
          },
        ),
      );
    },
  );
});

type Told = readonly [side: "BUY" | "SELL", far: number, lots: number];

/** Within a message all rows of one side come before those of the other. */
function bySide(levels: readonly Told[]): Told[] {
  return [...levels].sort(([one], [other]) => one.localeCompare(other));
}
