import { copyFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DAY_MS } from "#core/units.js";
import { HistoryStore } from "#history/history-store.js";
import { openKlines } from "#history/open-klines.js";
import { MarkSource, openFunding, openMarks } from "#history/open-marks.js";
import { fileOf, scratchFolder, take } from "../scratch.js";
import { MARKET, START_MS, STEPS } from "./capture.js";

describe("Candles, marks and funding as columns", () => {
  it("are those of the span, prices in ticks, volumes in whole lots, rates by 10^18", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const candle = (minute: number, close: string) =>
      `${START_MS - 59_000 + minute * 60_000},100.0,100.4,99.8,${close},1.2345\n`;
    await take(store, [
      fileOf(
        folder,
        "k.csv",
        `time,open,high,low,close,volume\n${candle(0, "100.1")}${candle(1, "100.2")}${candle(2, "100.3")}`,
      ),
      fileOf(
        folder,
        "m.csv",
        `time,markPrice,indexPrice,fundingRate,nextFundingTime\n${START_MS},100.12345678,100.5,-0.00002760,${START_MS + 1000}\n${START_MS + 2000},101,,,\n`,
      ),
      fileOf(
        folder,
        "f.csv",
        `marketId,fundingRate,fundingTime\nbtcusdt,0.0000276,${START_MS + 1000}\n`,
      ),
    ]);
    const startUs = (START_MS + 1000) * 1000;
    const klines = await openKlines(store, MARKET, {
      kind: "klines-1M",
      ...STEPS,
      fromUs: startUs,
      toUs: 2e15,
    });
    expect(klines).toMatchObject({
      bars: 2,
      intervalUs: 60_000_000,
      startUs: Float64Array.of(startUs, startUs + 60_000_000),
    });
    expect([
      klines.openTicks[0],
      klines.highTicks[0],
      klines.lowTicks[0],
      klines.closeTicks[0],
      klines.lots[0],
    ]).toEqual([1000, 1004, 998, 1002, 1234]);
    const marks = await openMarks(store, MARKET, { fromUs: 0, toUs: 2e15, baseLatencyUs: 5 });
    expect(marks).toEqual({
      exchangeUs: Float64Array.of(START_MS * 1000, START_MS * 1000 + 2e6),
      localUs: Float64Array.of(START_MS * 1000 + 5, START_MS * 1000 + 2e6 + 5),
      markCredit: BigInt64Array.of(100_123_456n, 101_000_000n),
      indexCredit: BigInt64Array.of(100_500_000n, 101_000_000n),
      fundingRateE18: BigInt64Array.of(-27_600_000_000_000n, 0n),
      nextFundingMs: Float64Array.of(START_MS + 1000, 0),
    });
    expect(await openFunding(store, MARKET, { fromUs: 0, toUs: 2e15 })).toEqual({
      timeUs: Float64Array.of(startUs),
      rateE18: BigInt64Array.of(27_600_000_000_000n),
    });
    await expect(
      openKlines(store, MARKET, {
        kind: "klines-1M",
        ...STEPS,
        tickSize: "0.2",
        fromUs: 0,
        toUs: 2e15,
      }),
    ).rejects.toThrow(/close is off the grid \(got "100.1/);
  });

  // A backtest once computed margin from marks that its report did not name.
  it("are refused if another process replaced a day after it was checked", async () => {
    const folder = scratchFolder();
    const [store, anew] = await Promise.all(
      ["102.25", "99.75"].map(async (second) => {
        const own = new HistoryStore(join(folder, second));
        const marks = `time,markPrice\n${START_MS},100\n${START_MS + DAY_MS},${second}\n`;
        await take(own, [fileOf(folder, `${second}.csv`, marks)]);
        return own;
      }),
    );
    if (store === undefined || anew === undefined) throw new Error("no store");
    const series = { market: MARKET, kind: "marks" };
    const [, manifest] = store.days(series);
    if (manifest === undefined) throw new Error("one day only");
    const read = async (): Promise<void> => {
      for await (const { markCredit } of new MarkSource(store, MARKET, {
        fromUs: 0,
        toUs: 2e15,
        blockRows: 1,
      })) {
        if (markCredit[0] !== 100_000_000n) continue;
        for (const path of ["manifestPath", "dataPath"] as const) {
          copyFileSync(anew[path](series, manifest.day), join(folder, path));
          renameSync(join(folder, path), store[path](series, manifest.day));
        }
      }
    };
    await expect(read()).rejects.toThrow(/was replaced while it was read/);
  });
});
