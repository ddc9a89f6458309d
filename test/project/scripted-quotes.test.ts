import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { constantLatency } from "#backtest/latency.js";
import { type Tape, TapeKind } from "#history/tape.js";
import { TapeBuilder } from "#history/tape-builder.js";
import { OrderBook } from "#market/order-book.js";
import { compareFills } from "../../bench/hftbacktest/compare-fills.js";
import { CACHED_PYTHON } from "../../bench/hftbacktest/installed.js";
import { scriptOn } from "../../bench/hftbacktest/script.js";
import { type ScriptFill, scriptedQuotes } from "../../bench/hftbacktest/scripted-quotes.js";
import { TheirEngine } from "../../bench/hftbacktest/their-engine.js";
import { seededBooks } from "../../bench/seeded-books.js";

const GRID = { marketId: "btcusdt", tickSize: "0.1", stepSize: "0.001" };
const tape = seededBooks();

/** The rows of one message, as side, ticks and lots. */
function rowsOf(
  { rowEnd, signedTicks, lots }: Tape,
  message: number,
): { side: "BUY" | "SELL"; ticks: number; lots: number }[] {
  const from = message === 0 ? 0 : (rowEnd[message - 1] as number);
  return Array.from({ length: (rowEnd[message] as number) - from }, (_, at) => {
    const ticks = signedTicks[from + at] as number;
    return {
      side: ticks > 0 ? "BUY" : "SELL",
      ticks: Math.abs(ticks),
      lots: lots[from + at] as number,
    };
  });
}

/** The same history with each changed level in a separate update. */
function levelByLevel(whole: Tape): Tape {
  const builder = new TapeBuilder(GRID);
  for (let message = 0; message < whole.messages; message++) {
    const [exchangeUs, localUs] = [
      whole.exchangeUs[message] as number,
      whole.localUs[message] as number,
    ];
    const kind = whole.kind[message];
    if (kind === TapeKind.bookSnapshot) builder.snapshot(exchangeUs, localUs);
    for (const { side, ticks, lots } of rowsOf(whole, message)) {
      if (kind === TapeKind.trade) builder.trade(exchangeUs, localUs, side, ticks, lots);
      else if (kind === TapeKind.bookUpdate)
        builder.update(exchangeUs, localUs).level(side, ticks, lots);
      else builder.level(side, ticks, lots);
    }
  }
  return builder.build();
}

describe("the seeded history of the benchmarks", () => {
  it("names each price of a side at most once in a message, as an update of an exchange does", () => {
    const repeated: string[] = [];
    for (let message = 0; message < tape.messages; message++) {
      const names = rowsOf(tape, message).map(
        ({ side, ticks }) => `message ${message}: ${side} ${ticks}`,
      );
      repeated.push(...names.filter((name, at) => names.indexOf(name) !== at));
    }
    expect(repeated).toEqual([]);
  });

  it("has its best bid below its best ask after every message, and prints trades at the best price and within its amount", () => {
    const book = new OrderBook();
    let [updates, trades] = [0, 0];
    for (let message = 0; message < tape.messages; message++) {
      const rows = rowsOf(tape, message);
      if (tape.kind[message] === TapeKind.trade) {
        trades += 1;
        const [{ side, ticks, lots }] = rows as [(typeof rows)[0]];
        const met = side === "BUY" ? book.asks : book.bids;
        expect(ticks).toBe(met.bestTicks);
        expect(lots).toBeLessThanOrEqual(met.bestLots);
        continue;
      }
      updates += 1;
      for (const { side, ticks, lots } of rows) book.set(side, ticks, lots);
      expect(book.bids.bestTicks).toBeLessThan(book.asks.bestTicks);
    }
    expect(Math.min(updates, trades)).toBeGreaterThan(1000);
  });
});

describe("scripted quotes", () => {
  it("are filled alike by an engine that applies a message level by level and by one that applies it whole", () => {
    const whole = scriptedQuotes(tape, scriptOn(tape));
    expect(whole.length).toBeGreaterThan(500);
    expect(scriptedQuotes(levelByLevel(tape), scriptOn(tape))).toEqual(whole);
  });

  it("are counted to the last message, which the last step of the script does not reach", () => {
    const builder = new TapeBuilder(GRID);
    builder.snapshot(0, 1000).level("BUY", 600_000, 5).level("SELL", 600_001, 5);
    // The quotes of the only step arrive 40 ms after it, and the trade passes the bid before the
    // next step.
    builder.trade(2_060_000, 2_061_000, "SELL", 599_999, 5);
    const script = {
      startUs: 2_000_000,
      everyUs: 100_000,
      latency: constantLatency(40, 40),
      lots: 1,
    };
    expect(scriptedQuotes(builder.build(), script)).toEqual([
      { side: "BUY", ticks: 600_000, exchangeUs: 2_060_000 },
    ]);
  });
});

describe("a comparison of fills", () => {
  const fill = (exchangeUs: number, ticks = 10): ScriptFill => ({ side: "BUY", ticks, exchangeUs });

  it("counts the fills that both engines have, however many one of them has before", () => {
    const difference = compareFills(
      [fill(1), fill(2), fill(3)],
      [fill(2), fill(3), fill(3), fill(10)],
    );
    expect(difference).toEqual({ equal: 2, onlyOurs: [fill(1)], onlyTheirs: [fill(3), fill(10)] });
  });

  it("takes another price or side for another fill", () => {
    expect(compareFills([fill(1, 10)], [fill(1, 11)])).toEqual({
      equal: 0,
      onlyOurs: [fill(1, 10)],
      onlyTheirs: [fill(1, 11)],
    });
    expect(compareFills([fill(1)], [{ ...fill(1), side: "SELL" }]).equal).toBe(0);
  });
});

const isInstalled = existsSync(CACHED_PYTHON);
const orSkipped = isInstalled ? "" : " (skipped: the benchmark against-hftbacktest installs it)";
describe.skipIf(!isInstalled)(`hftbacktest${orSkipped}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "marketwright-hftbacktest-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("fills the same orders of the seeded history at the same prices and times as our replay", async () => {
    const theirs = await TheirEngine.start(
      CACHED_PYTHON,
      join(folder, "events"),
      tape,
      scriptOn(tape),
    );
    try {
      const { fills, trades } = await theirs.fills("roivector");
      const ours = scriptedQuotes(tape, scriptOn(tape));
      expect(compareFills(ours, fills)).toEqual({
        equal: ours.length,
        onlyOurs: [],
        onlyTheirs: [],
      });
      expect(trades).toBe(ours.length);
    } finally {
      theirs.close();
    }
  });
});
