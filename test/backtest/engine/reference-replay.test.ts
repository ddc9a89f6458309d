import { describe, expect, it } from "vitest";
import { ReferenceReplay } from "#backtest/reference-replay.js";
import type { ReferenceUpdate } from "#reference/reference-update.js";
import { type MadeMessage, referenceTape } from "./made-references.js";

/** All that enters the bot, each with its time in microseconds. */
function entered(replay: ReferenceReplay): [number, ReferenceUpdate][] {
  const all: [number, ReferenceUpdate][] = [];
  while (replay.nextUs < Number.POSITIVE_INFINITY) all.push([replay.nextUs, replay.take()]);
  return all;
}

function played(messages: readonly MadeMessage[], minGapMs = 20, startUs = 0) {
  return entered(
    new ReferenceReplay("binance", referenceTape(messages), { minGapMs, startUs }),
  ).map(([atUs, update]) => [
    atUs,
    update.type === "down" ? update.reason : [update.bid, update.heldMs],
  ]);
}

describe("a reference source of a replay", () => {
  it("passes the first price at once, and of those within the gap the newest when it is over", () => {
    expect(
      played([
        [1_000, 10, 11],
        [5_000, 20, 21],
        [12_500, 30, 31],
        [40_999, 40, 41],
        [41_000, 50, 51],
        [90_000, 60, 61],
      ]),
    ).toEqual([
      [1_000, [10, 0]],
      [21_000, [30, 8.5]],
      [41_000, [40, 0.001]],
      [61_000, [50, 20]],
      [90_000, [60, 0]],
    ]);
  });

  it("passes every price of a source without a gap, also those of one instant", () => {
    expect(
      played(
        [
          [1_000, 10, 11],
          [1_000, 20, 21],
          [1_001, 30, 31],
        ],
        0,
      ),
    ).toEqual([
      [1_000, [10, 0]],
      [1_000, [20, 0]],
      [1_001, [30, 0]],
    ]);
  });

  it("reports at once that the source is gone, and drops the price that waits", () => {
    expect(
      played([
        [1_000, 10, 11],
        [5_000, 20, 21],
        [6_000, "the stream was closed"],
        [7_000, 30, 31],
      ]),
    ).toEqual([
      [1_000, [10, 0]],
      [6_000, "the stream was closed"],
      [21_000, [30, 14]],
    ]);
  });

  it("passes a price that is due before it reports that the source is gone since that instant", () => {
    expect(
      played([
        [1_000, 10, 11],
        [5_000, 20, 21],
        [21_000, "the stream was closed"],
      ]),
    ).toEqual([
      [1_000, [10, 0]],
      [21_000, [20, 16]],
      [21_000, "the stream was closed"],
    ]);
  });

  it("begins with the newest price before the start, as old as it is", () => {
    expect(
      played(
        [
          [1_000, 10, 11],
          [5_000, 20, 21],
          [30_000, 30, 31],
        ],
        20,
        12_000,
      ),
    ).toEqual([
      [12_000, [20, 7]],
      [32_000, [30, 2]],
    ]);
  });

  it("plays a history in several blocks as it plays it in one", () => {
    const messages: MadeMessage[] = Array.from({ length: 60 }, (_, at) =>
      at % 7 === 3 ? [at * 4_000, `gone ${at}`] : [at * 4_000, at + 1, at + 2, at],
    );
    const options = { minGapMs: 20, startUs: 0 };
    const whole = entered(new ReferenceReplay("binance", referenceTape(messages), options));
    for (const size of [1, 3, 10]) {
      const blocks = Array.from({ length: Math.ceil(60 / size) }, (_, at) =>
        referenceTape(messages.slice(at * size, (at + 1) * size)),
      );
      const replay = new ReferenceReplay("binance", blocks[0], options);
      const all: [number, ReferenceUpdate][] = [];
      for (const block of [...blocks.slice(1), referenceTape([])]) {
        // A block is added when everything before its first message has been played.
        const knownUs = block.localUs[0] ?? Number.POSITIVE_INFINITY;
        if (knownUs === Number.POSITIVE_INFINITY) replay.extend(block);
        const lastUs = (knownUs === Number.POSITIVE_INFINITY ? 60 * 4_000 : knownUs) - 4_000;
        while (replay.nextUs < lastUs) all.push([replay.nextUs, replay.take()]);
        if (knownUs !== Number.POSITIVE_INFINITY) replay.extend(block);
      }
      all.push(...entered(replay));
      expect(all).toEqual(whole);
    }
    expect(whole.length).toBeGreaterThan(15);
    expect(whole[0]).toEqual([
      0,
      { type: "price", source: "binance", bid: 1, ask: 2, timeMs: 0, heldMs: 0 },
    ]);
  });
});
