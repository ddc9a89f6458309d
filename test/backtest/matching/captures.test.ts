import { describe, expect, it } from "vitest";
import { ReplayBook } from "#backtest/replay-book.js";
import { createQueueModel } from "#core/queue-model-names.js";
import { type Tape, TapeKind } from "#history/tape.js";
import { BookSide } from "#market/book-side.js";
import { recordedDataFolder } from "#simulator/data-folder.js";
import { BTC_GRID, type BtcCapture, captureTape, hasCapture } from "../../support/capture-tape.js";
import { bookAtLocal, gridPairs, publishedOrder, publishedRuns } from "./published-orders.js";
import { queueExperiment, throughOnlyQueue, touchQueue } from "./queue-experiment.js";

const skipped = `(skipped where ${recordedDataFolder()} does not hold it)`;
const LOT_BASE = 0.001;

/** Reads a capture once for all tests that need it. */
function onceTape(tag: BtcCapture): () => Tape {
  let tape: Tape | undefined;
  return () => {
    tape ??= captureTape(tag);
    return tape;
  };
}

describe.skipIf(!hasCapture("btcusdt-perp_20240808"))(
  `the capture of 2024-08-08 ${skipped}`,
  () => {
    const tapeOf = onceTape("btcusdt-perp_20240808");

    it("ends with the 9,597 levels that hftbacktest publishes for that day's end, on either clock", () => {
      const tape = tapeOf();
      const { eod20240808 } = publishedRuns();
      const [exchange, local] = [new ReplayBook(), new ReplayBook()];
      exchange.applyMessages(tape, 0, tape.messages);
      local.applyLocal(tape, 0, tape.messages);
      expect(exchange.bids.levels + exchange.asks.levels).toBe(eod20240808.levels);
      expect(exchange.bids.entries().slice(0, 10)).toEqual(gridPairs(eod20240808.bestBids));
      expect(exchange.asks.entries().slice(-10)).toEqual(gridPairs(eod20240808.worstAsks));
      expect(local.bids.entries()).toEqual(exchange.bids.entries());
      expect(local.asks.entries()).toEqual(exchange.asks.entries());
    });

    it("gives the book that a live bot has, message by message", () => {
      const tape = tapeOf();
      const book = new ReplayBook();
      const sides = [new BookSide("BUY"), new BookSide("SELL")] as const;
      // From after the snapshot on, both receive the same rows.
      const first = tape.kind.indexOf(TapeKind.bookSnapshot) + 1;
      book.applyMessages(tape, 0, first);
      book.bids.walk((ticks, lots) => sides[0].set(ticks, lots));
      book.asks.walk((ticks, lots) => sides[1].set(ticks, lots));
      for (let message = first; message < tape.messages; message++) {
        book.applyMessage(tape, message);
        if (tape.kind[message] !== TapeKind.bookUpdate) continue;
        for (
          let row = tape.rowEnd[message - 1] as number;
          row < (tape.rowEnd[message] as number);
          row++
        ) {
          const ticks = tape.signedTicks[row] as number;
          sides[ticks > 0 ? 0 : 1].set(Math.abs(ticks), tape.lots[row] as number);
        }
        if (book.bids.bestTicks !== sides[0].bestTicks || book.asks.bestLots !== sides[1].bestLots)
          expect.fail(`differs at ${message}`);
      }
      expect(book.bids.entries()).toEqual(sides[0].entries());
      expect(book.asks.entries()).toEqual(sides[1].entries());
    });

    // Filled %, fills by queue, through and cross, mean ms to the fill: published for this
    // experiment on this capture.
    it.each([
      [touchQueue, 95.5, 612, 10, 10, 381],
      [createQueueModel("log", LOT_BASE), 80.1, 420, 85, 25, 2107],
      [createQueueModel("power-1", LOT_BASE), 79.8, 440, 66, 22, 2141],
      [createQueueModel("power-2", LOT_BASE), 79.2, 431, 69, 24, 2207],
      [createQueueModel("power-3", LOT_BASE), 79.2, 426, 73, 25, 2215],
      [createQueueModel("power3-3", LOT_BASE), 78.1, 373, 117, 27, 2268],
      [createQueueModel("risk-averse", LOT_BASE), 78.1, 345, 140, 32, 2303],
      [throughOnlyQueue, 72.8, 0, 421, 61, 2428],
    ])(
      "fills as many orders as published, for the same causes: $name",
      (queue, percent, byQueue, through, cross, meanMs) => {
        for (const partialFills of [true, false]) {
          const { orders, fills, filledShare, meanFillMs } = queueExperiment(
            tapeOf(),
            queue,
            partialFills,
          );
          expect(fills).toEqual({ queue: byQueue, through, cross, taker: 0 });
          expect([orders, (100 * filledShare).toFixed(1), Math.round(meanFillMs)]).toEqual([
            662,
            percent.toFixed(1),
            meanMs,
          ]);
        }
      },
    );
  },
);

describe.skipIf(!hasCapture("btcusdt-perp_20240718-19"))(
  `the capture of 2024-07-19 ${skipped}`,
  () => {
    const tapeOf = onceTape("btcusdt-perp_20240718-19");
    const ticks = (price: string): number => BTC_GRID.parsePrice(price);

    it("shows at five local instants the three levels a side that hftbacktest publishes", () => {
      const { bookCheckpointsLocalTime } = publishedRuns();
      expect(bookCheckpointsLocalTime).toHaveLength(5);
      for (const { localTimeNs, bids, asks } of bookCheckpointsLocalTime) {
        const book = bookAtLocal(tapeOf(), Number(BigInt(localTimeNs) / 1000n));
        expect(book.bids.entries().slice(0, 6)).toEqual(gridPairs(bids));
        expect(book.asks.entries().slice(0, 6)).toEqual(gridPairs(asks));
      }
    });

    // 100 ms to the exchange and 100 ms back, no partial fills, risk-averse queue.
    it("fills a buy below the market when a trade goes through it", () => {
      const seen = publishedOrder(tapeOf(), 1_721_347_231_533, {
        side: "BUY",
        ticks: ticks("63885.7"),
      });
      // Published: NEW at the first poll that sees it, FILLED at a later one. Polls are 30 s apart
      // there.
      expect(seen.newMs).toBe(1_721_347_231_733);
      expect(seen.fill).toEqual({
        exchangeMs: 1_721_347_356_052,
        seenMs: 1_721_347_356_152,
        ticks: ticks("63885.7"),
        lots: 1000,
      });
    });

    it("fills a buy at the best bid that was seen, at its own price, though the market was elsewhere when it arrived", () => {
      const { fill } = publishedOrder(tapeOf(), 1_721_347_261_533, {
        side: "BUY",
        ticks: ticks("63979.9"),
      });
      expect(fill).toMatchObject({ exchangeMs: 1_721_347_286_948, ticks: ticks("63979.9") });
    });

    it("sells at the best bid of the exchange's own clock, which is not the one that was seen", () => {
      const sentMs = 1_721_347_261_533;
      const market = {
        side: "SELL",
        ticks: Number.NaN,
        type: "MARKET",
        timeInForce: "IOC",
      } as const;
      expect(bookAtLocal(tapeOf(), sentMs * 1000).bids.bestTicks).toBe(ticks("63979.9"));
      expect(publishedOrder(tapeOf(), sentMs, market).fill).toMatchObject({
        exchangeMs: sentMs + 100,
        ticks: ticks("63981.9"),
      });
    });

    it("ends a post-only sell through the bid without a fill", () => {
      const seen = publishedOrder(tapeOf(), 1_721_347_261_533, {
        side: "SELL",
        ticks: ticks("63969.9"),
        timeInForce: "POST_ONLY",
      });
      expect([seen.fill, seen.end?.how]).toEqual([undefined, "would-take"]);
    });

    it("answers an order and its cancel 200 ms after each was sent", () => {
      const seen = publishedOrder(
        tapeOf(),
        1_721_347_201_633,
        { side: "BUY", ticks: ticks("63949.9") },
        1_721_347_201_933,
      );
      expect(seen).toEqual({
        newMs: 1_721_347_201_833,
        fill: undefined,
        end: { how: "cancelled", seenMs: 1_721_347_202_133 },
      });
    });
  },
);
