import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "#core/seeded-random.js";
import { HistoryStore } from "#history/history-store.js";
import { importFiles } from "#history/import-files.js";

/** The options of a generated history. */
export interface GeneratedHistory {
  readonly market: string;
  /** Start, milliseconds since 1970. */
  readonly fromMs: number;
  readonly seconds: number;
  readonly seed?: string;
  /** Candles of a minute beside books and trades. */
  readonly klines?: boolean;
}

const TICK = 0.1;
const LOT = 0.001;
const price = (ticks: number): string => (ticks * TICK).toFixed(1);
const amount = (lots: number): string => (lots * LOT).toFixed(3);

/**
 * Fills a store with a seeded market: books and trades ten times a second around 60,000, ticks of
 * 0.1 and lots of 0.001, as an import of the exchange's own records. The same seed gives the same
 * bytes.
 */
export async function generateHistory(
  folder: string,
  { market, fromMs, seconds, seed = "1", klines = false }: GeneratedHistory,
): Promise<HistoryStore> {
  const random = seededRandom(`history ${seed}`);
  const books: unknown[] = [];
  const trades: unknown[] = [];
  const candles: {
    time: number;
    open: string;
    high: string;
    low: string;
    close: string;
    volume: string;
  }[] = [];
  let mid = 600_000;
  let line = 1;
  let sequence = 1000;
  let id = 1;
  let bar:
    | { time: number; open: number; high: number; low: number; close: number; lots: number }
    | undefined;
  const level = (side: 1 | -1, away: number): [string, string] => [
    price(mid + side * away),
    amount(1 + Math.floor(random.uniform() * 20)),
  ];
  const levels = (side: 1 | -1) => [1, 2, 3, 4, 5].map((away) => level(side, away));
  const received = (ms: number, lateMs: number): string => String(BigInt(ms + lateMs) * 1_000_000n);
  const note = (ms: number, ticks: number, lots: number): void => {
    const time = Math.floor(ms / 60_000) * 60_000;
    if (bar?.time !== time) {
      bar = { time, open: ticks, high: ticks, low: ticks, close: ticks, lots: 0 };
      candles.push(bar as never);
    }
    bar.high = Math.max(bar.high, ticks);
    bar.low = Math.min(bar.low, ticks);
    bar.close = ticks;
    bar.lots += lots;
  };
  books.push({
    type: "snapshot",
    line: line++,
    ticker_id: market,
    sequence,
    timestamp: fromMs,
    recvTimeNs: received(fromMs, 2),
    bids: levels(-1),
    asks: levels(1),
  });
  for (let ms = fromMs + 100; ms < fromMs + seconds * 1000; ms += 100) {
    const step = Math.round((random.uniform() - 0.5) * 6);
    if (random.uniform() < 0.7) {
      const isBuy = step > 0;
      const ticks = mid + (isBuy ? 1 : -1) * (1 + Math.floor(random.uniform() * 3));
      const lots = 1 + Math.floor(random.uniform() * 30);
      note(ms, ticks, lots);
      const quoteAmount = ((ticks * lots) / 10_000).toFixed(4);
      trades.push({
        id: id++,
        price: price(ticks),
        amount: amount(lots),
        quoteAmount,
        time: ms,
        isBuyerMaker: !isBuy,
        status: "SETTLED",
        line: line++,
        recvTimeNs: received(ms, 3),
      });
    }
    const gone = (side: 1 | -1) =>
      [1, 2, 3, 4, 5, 6, 7, 8].map((away): [string, string] => [price(mid + side * away), "0.000"]);
    const before = { "-1": gone(-1), "1": gone(1) };
    mid += step;
    const side = (sign: 1 | -1) => {
      const now = levels(sign);
      return [...before[`${sign}`].filter(([at]) => !now.some(([held]) => held === at)), ...now];
    };
    books.push({
      type: "update",
      line: line++,
      ticker_id: market,
      beginSequence: sequence + 1,
      endSequence: sequence + 1,
      prevEndSequence: sequence,
      timestamp: ms,
      eventTime: ms,
      recvTimeNs: received(ms, 2),
      bids: side(-1),
      asks: side(1),
    });
    sequence += 1;
  }
  const made = join(folder, "generated");
  mkdirSync(made, { recursive: true });
  const write = (name: string, records: readonly unknown[]): string => {
    const path = join(made, `${market}-${name}.ndjson`);
    writeFileSync(path, `${records.map((record) => JSON.stringify(record)).join("\n")}\n`);
    return path;
  };
  const store = new HistoryStore(join(folder, "history"));
  const clock = { partsAt: [], baseLatencyNs: 0n };
  await importFiles(store, {
    market,
    files: [write("books", books), write("trades", trades)],
    clock,
    replace: false,
  });
  if (klines) {
    const records = (
      candles as unknown as {
        time: number;
        open: number;
        high: number;
        low: number;
        close: number;
        lots: number;
      }[]
    ).map((candle) => ({
      time: candle.time,
      open: price(candle.open),
      close: price(candle.close),
      high: price(candle.high),
      low: price(candle.low),
      volume: amount(candle.lots),
    }));
    await importFiles(store, {
      market,
      files: [write("klines_1M", records)],
      clock,
      replace: false,
    });
  }
  return store;
}
