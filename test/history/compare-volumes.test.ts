import { join } from "node:path";
import { expect, it } from "vitest";
import { compareVolumes } from "#history/compare-volumes.js";
import { Duck } from "#history/duck.js";
import { HistoryStore } from "#history/history-store.js";
import { fileOf, scratchFolder, take } from "./scratch.js";

const MIDNIGHT = 1723161600000;
const MINUTE = 60_000;

it("names candles whose volume differs from their trades, and missing candles, with or without failed trades", async () => {
  const folder = scratchFolder();
  const store = new HistoryStore(join(folder, "history"));
  const trade = (id: number, time: number, amount: string, status = "SETTLED"): string =>
    `${JSON.stringify({ id, price: "5", amount, time, isBuyerMaker: true, status })}\n`;
  const candle = (minute: number, volume: string): string =>
    `${JSON.stringify({ time: MIDNIGHT + minute * MINUTE, open: "5", high: "5", low: "5", close: "5", volume })}\n`;
  const trades =
    trade(1, MIDNIGHT, "0.1") +
    trade(2, MIDNIGHT + 1, "0.2") +
    trade(3, MIDNIGHT + MINUTE, "1") +
    trade(4, MIDNIGHT + MINUTE + 5, "2", "FAILED") +
    trade(5, MIDNIGHT + 2 * MINUTE, "7") +
    trade(6, MIDNIGHT + 4 * MINUTE, "3") +
    trade(7, MIDNIGHT + 5 * MINUTE - 1, "3");
  // 0.1 and 0.2 make exactly 0.3; the third minute lacks its candle, the fifth disagrees.
  const candles = candle(0, "0.3") + candle(1, "1") + candle(3, "0") + candle(4, "6.5");
  await take(
    store,
    [fileOf(folder, "trades.ndjson", trades), fileOf(folder, "klines.ndjson", candles)],
    { interval: "1M" },
  );
  const duck = await Duck.open(store.spillFolder);
  try {
    expect(
      await compareVolumes(store, duck, "btcusdt", "klines-1M", [MIDNIGHT, MIDNIGHT + 5 * MINUTE]),
    ).toMatchObject({
      candles: 5,
      differing: 2,
      first: [
        { atMs: MIDNIGHT + 2 * MINUTE, candle: "0.0", trades: "7.0" },
        { atMs: MIDNIGHT + 4 * MINUTE, candle: "6.5", trades: "6.0" },
      ],
    });
  } finally {
    duck.close();
  }
});
