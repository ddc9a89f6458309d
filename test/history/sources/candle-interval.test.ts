import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "../../../src/history/store.js";
import { fileOf, scratchFolder, take } from "../scratch.js";

const START = Date.UTC(2025, 0, 1);
const MINUTE = 60_000;
const DAY = 86_400_000;

/** @returns the kind that candles with these starts are taken as, in the exchange's own record */
async function kindOf(starts: readonly number[], interval?: string): Promise<string | undefined> {
  const rows = starts.map((time) => JSON.stringify({ time, open: "1", high: "2", low: "1", close: "2", volume: "3" }));
  return taken("k.ndjson", `${rows.join("\n")}\n`, interval);
}

/** The same as Binance publishes them. @param unit of its stamps in a millisecond */
async function binanceKindOf(
  candles: readonly (readonly [start: number, end: number])[],
  unit = 1,
  interval?: string,
): Promise<string | undefined> {
  const rows = candles.map(([start, end]) => `${start * unit},1,2,1,2,3,${end * unit - 1},0,1,0,0,0`);
  return taken("BTCUSDT-1m-2025-01.csv", `${rows.join("\n")}\n`, interval);
}

async function taken(name: string, content: string, interval?: string): Promise<string | undefined> {
  const folder = scratchFolder();
  const store = new HistoryStore(join(folder, "history"));
  const { files } = await take(store, [fileOf(folder, name, content)], interval === undefined ? {} : { interval });
  return files[0]?.kind;
}

describe("the interval of candles that do not say where they end", () => {
  it("is the smallest step: a market that rests for most minutes is none of longer candles, which would all be heard and filled late", async () => {
    expect(await kindOf([0, 2, 4, 6, 8, 9, 11].map((minute) => START + minute * MINUTE))).toBe("klines-1M");
  });

  it("is a month where they begin a month after each other, and not 31 days", async () => {
    expect(await kindOf([Date.UTC(2025, 0, 1), Date.UTC(2025, 1, 1), Date.UTC(2025, 2, 1)])).toBe("klines-1MO");
  });

  it("cannot be wished longer than the steps between them, but shorter, as where one is left out each time", async () => {
    const starts = [START, START + MINUTE, START + 2 * MINUTE];
    await expect(kindOf(starts, "1H")).rejects.toThrow(
      /interval: is not what the candles of .*k\.ndjson are of \(got "1H"\); expected 1M or less/,
    );
    expect(await kindOf(starts, "1M")).toBe("klines-1M");
    expect(await kindOf([START, START + 7 * 60 * MINUTE], "1H")).toBe("klines-1H");
    await expect(kindOf([START], undefined)).rejects.toThrow(/does not tell the interval/);
    expect(await kindOf([START], "1D")).toBe("klines-1D");
  });
});

describe("the interval of Binance's candles", () => {
  it("is from their start to their end, in one candle too, with gaps, in milliseconds or microseconds", async () => {
    expect(await binanceKindOf([[START, START + DAY]])).toBe("klines-1D");
    expect(await binanceKindOf([[START, START + MINUTE]], 1000)).toBe("klines-1M");
    expect(
      await binanceKindOf([
        [START, START + 60 * MINUTE],
        [START + 7 * 60 * MINUTE, START + 8 * 60 * MINUTE],
      ]),
    ).toBe("klines-1H");
  });

  it("is a month, of whatever length", async () => {
    const months = [0, 1, 2, 3].map((month) => [Date.UTC(2025, month, 1), Date.UTC(2025, month + 1, 1)] as const);
    expect(await binanceKindOf(months)).toBe("klines-1MO");
    expect(await binanceKindOf(months.slice(0, 1), 1, "1MO")).toBe("klines-1MO");
  });

  it("is refused where it is another than the one that is wished, where candles differ, and where it is of seconds", async () => {
    await expect(binanceKindOf([[START, START + MINUTE]], 1, "1H")).rejects.toThrow(
      /interval: is not what the candles.*got "1H"\); expected 1M/,
    );
    const two = [
      [START, START + MINUTE],
      [START + MINUTE, START + 3 * MINUTE],
    ] as const;
    await expect(binanceKindOf(two)).rejects.toThrow(/does not tell the interval/);
    await expect(binanceKindOf(two, 1, "1M")).rejects.toThrow(/expected one interval, and not from 60 to 120 s/);
    await expect(binanceKindOf([[START, START + 1000]])).rejects.toThrow(/does not tell the interval/);
  });
});
