import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { checkMapping } from "#history/mapping.js";
import { fileOf, scratchFolder, take } from "../scratch.js";

const START = Date.UTC(2025, 0, 1);
const MINUTE = 60_000;
const DAY = 86_400_000;

/** @returns the kind inferred for candles with these starts, in the exchange's own record */
async function kindOf(starts: readonly number[], interval?: string): Promise<string | undefined> {
  const rows = starts.map((time) =>
    JSON.stringify({ time, open: "1", high: "2", low: "1", close: "2", volume: "3" }),
  );
  return taken("k.ndjson", `${rows.join("\n")}\n`, interval);
}

/** The same candles as Binance publishes them. @param unit of its stamps per millisecond */
async function binanceKindOf(
  candles: readonly (readonly [start: number, end: number])[],
  unit = 1,
  interval?: string,
): Promise<string | undefined> {
  const rows = candles.map(
    ([start, end]) => `${start * unit},1,2,1,2,3,${end * unit - 1},0,1,0,0,0`,
  );
  return taken("BTCUSDT-1m-2025-01.csv", `${rows.join("\n")}\n`, interval);
}

async function mapped(
  content: string,
  mapping: object,
  interval?: string,
): Promise<string | undefined> {
  const folder = scratchFolder();
  const { files } = await take(
    new HistoryStore(join(folder, "history")),
    [fileOf(folder, "k.csv", content)],
    {
      mapping: checkMapping(mapping),
      ...(interval === undefined ? {} : { interval }),
    },
  );
  return files[0]?.kind;
}

async function taken(
  name: string,
  content: string,
  interval?: string,
): Promise<string | undefined> {
  const folder = scratchFolder();
  const store = new HistoryStore(join(folder, "history"));
  const { files } = await take(
    store,
    [fileOf(folder, name, content)],
    interval === undefined ? {} : { interval },
  );
  return files[0]?.kind;
}

describe("the interval of candles without end times", () => {
  it("is the smallest step: a quiet market would otherwise have longer candles, all received and filled late", async () => {
    expect(await kindOf([0, 2, 4, 6, 8, 9, 11].map((minute) => START + minute * MINUTE))).toBe(
      "klines-1M",
    );
  });

  it("is a week or three days if they begin so far apart", async () => {
    expect(await kindOf([0, 7, 14].map((day) => START + day * DAY))).toBe("klines-1W");
    expect(await kindOf([0, 3, 6].map((day) => START + day * DAY))).toBe("klines-3D");
  });

  it("cannot be requested longer than the steps between them, only shorter, for example if every other one is missing", async () => {
    const starts = [START, START + MINUTE, START + 2 * MINUTE];
    await expect(kindOf(starts, "1H")).rejects.toThrow(
      /interval: is not the interval of the candles of .*k\.ndjson \(got "1H"\); expected 1M or less/,
    );
    expect(await kindOf(starts, "1M")).toBe("klines-1M");
    expect(await kindOf([START, START + 7 * 60 * MINUTE], "1H")).toBe("klines-1H");
    await expect(kindOf([START], undefined)).rejects.toThrow(
      /the interval of the candles of .* is unknown/,
    );
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

  it("is refused if it differs from the requested one, or between candles", async () => {
    await expect(binanceKindOf([[START, START + MINUTE]], 1, "1H")).rejects.toThrow(
      /interval: is not the interval of the candles.*got "1H"\); expected 1M/,
    );
    const two = [
      [START, START + MINUTE],
      [START + MINUTE, START + 3 * MINUTE],
    ] as const;
    await expect(binanceKindOf(two)).rejects.toThrow(
      /the interval of the candles of .* is unknown/,
    );
    await expect(binanceKindOf(two, 1, "1M")).rejects.toThrow(
      /expected one interval: the file's are from 60 to 120 s/,
    );
  });
});

// Candles of a second were once "of no shape that is known". Candles of a month were imported,
// listed with a gap each month, and could not be played.
describe("candles that no backtest could play", () => {
  const months = [0, 1, 2, 3].map(
    (month) => [Date.UTC(2025, month, 1), Date.UTC(2025, month + 1, 1)] as const,
  );
  const SECONDS =
    /k.*: has candles of 1 s, but the store does not support intervals of seconds \(got "1 s"\); expected candles of whole minutes/;
  const MONTHS =
    /: has candles of a month, but the store does not support intervals of months: a month has no fixed length .*expected candles of/;

  it("are refused for their seconds where only their starts tell", () =>
    expect(kindOf([START, START + 1000, START + 2000])).rejects.toThrow(SECONDS));

  it.each([
    ["milliseconds", 1],
    ["microseconds", 1000],
  ])(
    "are refused for their seconds in Binance's files in %s, even a single one",
    async (_, unit) => {
      await expect(binanceKindOf([[START, START + 1000]], unit)).rejects.toThrow(
        /has candles of 1 s, but the store does not support intervals of seconds/,
      );
      await expect(binanceKindOf([[START, START + 90_000]], unit)).rejects.toThrow(
        /has candles of 90 s, but the store does not support intervals of seconds/,
      );
    },
  );

  it("are not what a candle makes of minutes that begins a second off, nor two candles that lie a month apart", async () => {
    const off = [0, 60, 119, 180, 240].map((second) => START + second * 1000);
    await expect(kindOf(off)).rejects.toThrow(
      /has a candle that begins 59 s after the one before, while most begin 60 s after it/,
    );
    const apart = [START + 9 * DAY, START + 38 * DAY];
    await expect(kindOf(apart)).rejects.toThrow(/the interval of the candles of .* is unknown/);
    expect(await kindOf(apart, "1D")).toBe("klines-1D");
  });

  it("are known by the name that Binance gives their file", async () => {
    const second = `${START * 1000},1,2,1,2,3,${START * 1000 + 999_999},0,1,0,0,0\n`;
    await expect(taken("DOGEUSDT-1s-2025-01-01.csv", second)).rejects.toThrow(
      /the store does not support intervals of seconds/,
    );
    const month = `${Date.UTC(2025, 0, 1)},1,2,1,2,3,${Date.UTC(2025, 1, 1) - 1},0,1,0,0,0\n`;
    await expect(taken("DOGEUSDT-1mo-2025-01.csv", month)).rejects.toThrow(MONTHS);
  });

  it("are refused for their months, in the exchange's own record too", async () => {
    await expect(binanceKindOf(months)).rejects.toThrow(MONTHS);
    await expect(kindOf(months.map(([start]) => start))).rejects.toThrow(MONTHS);
  });

  it.each([
    [
      "1S",
      /interval: is an interval of seconds, which the store does not support \(got "1S"\); expected 1M/,
    ],
    ["1s", /interval: is an interval of seconds, which the store does not support \(got "1s"\)/],
    [
      "1MO",
      /interval: is an interval of months, which the store does not support: a month has no fixed length \(got "1MO"\)/,
    ],
    ["1mo", /interval: is an interval of months, which the store does not support/],
    [
      "5m",
      /interval: is not an interval \(got "5m"\); expected an interval such as 1M \(a minute\)/,
    ],
  ])("are refused where they are asked for as %s", async (interval, message) => {
    await expect(kindOf([START, START + MINUTE], interval)).rejects.toThrow(message);
    await expect(binanceKindOf(months.slice(0, 1), 1, interval)).rejects.toThrow(message);
  });

  // A mapping that called one-minute candles five-minute ones once made them overlap, and each was
  // received five minutes late.
  it("are refused of a mapping that names another interval than the file's, and of one that --interval contradicts", async () => {
    const columns = { time: "time", open: "o", high: "h", low: "l", close: "c", volume: "v" };
    const every = (stepMs: number): string =>
      `time,o,h,l,c,v\n${[0, 1, 2].map((n) => `${START + n * stepMs},1,2,1,2,3\n`).join("")}`;
    for (const kind of ["klines-5M", "mark-klines-5M"])
      await expect(mapped(every(MINUTE), { kind, columns })).rejects.toThrow(
        /is not the interval of the candles of .* \(got "5M"\); expected 1M or less/,
      );
    await expect(mapped(every(5000), { kind: "klines-1M", columns })).rejects.toThrow(
      /has candles of 5 s/,
    );
    expect(await mapped(every(2 * MINUTE), { kind: "klines-1M", columns })).toBe("klines-1M");
    await expect(mapped(every(MINUTE), { kind: "klines", columns }, "5M")).rejects.toThrow(
      /got "5M"\); expected 1M or less/,
    );
    expect(await mapped(every(2 * MINUTE), { kind: "mark-klines", columns }, "1M")).toBe(
      "mark-klines-1M",
    );
    expect(await mapped(every(2 * MINUTE), { kind: "klines-1M", columns }, "1M")).toBe("klines-1M");
    await expect(mapped(every(2 * MINUTE), { kind: "klines-1M", columns }, "2M")).rejects.toThrow(
      /interval: contradicts the mapping \(got "2M"\); expected 1M, as in the mapping's kind, or no interval/,
    );
  });

  it("are refused of a mapped file, whose mapping may name them", async () => {
    const columns = { time: "time", open: "o", high: "h", low: "l", close: "c", volume: "v" };
    const file = `time,o,h,l,c,v\n${[0, 1, 2].map((second) => `${START + second * 1000},1,2,1,2,3\n`).join("")}`;
    await expect(mapped(file, { kind: "klines", columns })).rejects.toThrow(/has candles of 1 s/);
    await expect(mapped(file, { kind: "klines-1S", columns })).rejects.toThrow(
      /is an interval of seconds, which the store does not support/,
    );
    await expect(mapped(file, { kind: "klines-1MO", columns })).rejects.toThrow(
      /is an interval of months, which the store does not support/,
    );
  });
});
