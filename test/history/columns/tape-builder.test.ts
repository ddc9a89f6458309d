import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FormatError } from "#core/errors.js";
import { ascendingOrder } from "#history/ascending-order.js";
import { TapeKind } from "#history/tape.js";
import { TapeBuilder } from "#history/tape-builder.js";
import { captureTape, hasCapture } from "../../support/capture-tape.js";

const GRID = { marketId: "btcusdt", tickSize: "0.1", stepSize: "0.001" };

describe("A tape built from messages", () => {
  it("has them in the order of the exchange's clock, and keeps the reception time of each", () => {
    const tape = new TapeBuilder(GRID)
      .trade(2000, 2900, "SELL", 99, 7, 3)
      .snapshot(1000, 3000, 1)
      .level("BUY", 99, 10)
      .level("SELL", 101, 20)
      .update(2000, 2500, 2)
      .level("SELL", 101, 0)
      .build();
    expect(tape).toMatchObject({ ...GRID, messages: 3, rows: 4 });
    expect([...tape.exchangeUs]).toEqual([1000, 2000, 2000]);
    expect([...tape.localUs]).toEqual([3000, 2500, 2900]);
    expect([...tape.kind]).toEqual([TapeKind.bookSnapshot, TapeKind.bookUpdate, TapeKind.trade]);
    expect([...tape.rowEnd]).toEqual([2, 3, 4]);
    expect([...tape.signedTicks]).toEqual([99, -101, -101, -99]);
    expect([...tape.lots]).toEqual([10, 20, 0, 7]);
    expect([...(tape.byLocal ?? [])]).toEqual([1, 2, 0]);
  });

  it("holds amounts to the last lot below 2^53, and takes eight bytes a row only where one needs them", () => {
    const amounts = [5, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER, 7];
    const tapeOf = (count: number) => {
      const builder = new TapeBuilder(GRID);
      // Received and added in reverse order, so every row has to move.
      for (let at = count - 1; at >= 0; at--)
        builder.trade(at, 9, "BUY", 1, amounts[at] as number, at);
      return builder.build().lots;
    };
    expect(tapeOf(2)).toEqual(Uint32Array.from(amounts.slice(0, 2)));
    expect(tapeOf(5)).toEqual(Float64Array.from(amounts));
  });

  it("keeps a single order if both clocks agree", () => {
    expect(
      new TapeBuilder(GRID).trade(1, 2, "BUY", 1, 1).trade(2, 2, "BUY", 1, 1).build().byLocal,
    ).toBeUndefined();
  });

  it("keeps a message without levels, which shows that the exchange was alive", () => {
    expect([
      ...new TapeBuilder(GRID).update(1, 1).update(2, 2).level("BUY", 5, 1).build().rowEnd,
    ]).toEqual([0, 1]);
  });

  it.each([
    ["a price below one tick", (tape: TapeBuilder) => tape.trade(1, 1, "BUY", 0, 1), "ticks"],
    ["a price between two ticks", (tape: TapeBuilder) => tape.trade(1, 1, "BUY", 1.5, 1), "ticks"],
    ["a price past 32 bits", (tape: TapeBuilder) => tape.trade(1, 1, "BUY", 2 ** 31, 1), "ticks"],
    ["an amount past 2^53", (tape: TapeBuilder) => tape.trade(1, 1, "BUY", 1, 2 ** 53), "lots"],
    ["a trade of nothing", (tape: TapeBuilder) => tape.trade(1, 1, "BUY", 1, 0), "lots"],
    ["a level without a message", (tape: TapeBuilder) => tape.level("BUY", 1, 1), "level"],
    [
      "a level of a trade",
      (tape: TapeBuilder) => tape.trade(1, 1, "BUY", 1, 1).level("BUY", 1, 1),
      "level",
    ],
    ["what was heard before it was said", (tape: TapeBuilder) => tape.update(2, 1), "localUs"],
    ["a fraction of a microsecond", (tape: TapeBuilder) => tape.update(1.5, 2), "exchangeUs"],
  ])("refuses %s, naming it", (_, add, field) => {
    expect(() => add(new TapeBuilder(GRID))).toThrow(FormatError);
    expect(() => add(new TapeBuilder(GRID))).toThrow(field);
  });
});

describe("The order of stamps", () => {
  it("is that of a stable sort, whatever they are", () => {
    const stamps = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 400 });
    fc.assert(
      fc.property(stamps, (keys) => {
        const sorted = keys
          .map((key, at) => ({ key, at }))
          .sort((one, other) => one.key - other.key || one.at - other.at);
        const order = ascendingOrder(Float64Array.from(keys));
        expect(order === undefined ? keys.map((_, at) => at) : [...order]).toEqual(
          sorted.map(({ at }) => at),
        );
      }),
    );
  });
});

const TAG = "btcusdt-perp_20240808";
describe.skipIf(!hasCapture(TAG))(
  `The capture ${TAG} (skipped where the recorded data is absent)`,
  () => {
    it("has every level and trade of its files, none of them received before it happened", () => {
      const tape = captureTape(TAG);
      expect(tape).toMatchObject({ messages: 6_552 + 21_313, rows: 445_521 + 21_313 });
      let leastUs = Number.POSITIVE_INFINITY;
      for (let at = 0; at < tape.messages; at++) {
        leastUs = Math.min(leastUs, (tape.localUs[at] as number) - (tape.exchangeUs[at] as number));
      }
      expect(leastUs).toBe(0);
      expect(ascendingOrder(tape.exchangeUs)).toBeUndefined();
    });
  },
);
