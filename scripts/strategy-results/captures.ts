import { existsSync } from "node:fs";
import { join } from "node:path";
import { recordedDataFolder } from "#simulator/data-folder.js";

/** A stretch of a recorded market on which each strategy is tried. */
export interface Capture {
  readonly name: string;
  /** Files below the folder of the recorded data. */
  readonly files: readonly string[];
  readonly tickSizeQuote: string;
  readonly stepSizeBase: string;
  /** Price at its beginning, rounded: the sizes and the grid's range follow from it. */
  readonly firstPrice: number;
  /** Half spread of the strategies that are given one, in basis points. */
  readonly halfSpreadBps: number;
  /** Volatility of its market, roughly, in basis points per root second. */
  readonly sigmaBps: number;
  /** Lines of the capture from which on another offset of its recorder's clock holds. */
  readonly clockPartsAt?: readonly bigint[];
  /** Interval of the candles, where the file's name does not say it. */
  readonly interval?: string;
  /** True if an index price was recorded, which serves as a reference price. */
  readonly hasIndex?: boolean;
  /** Span, inclusive and exclusive, if not all of the files. */
  readonly from?: string;
  readonly to?: string;
}

const PERPETUAL = { tickSizeQuote: "0.1", stepSizeBase: "0.001", halfSpreadBps: 1 } as const;
const HOURLY = { halfSpreadBps: 40, interval: "1H" } as const;
const MINUTES = { halfSpreadBps: 10, interval: "1M" } as const;

/** All of them: books first, then trades, then candles. */
export const CAPTURES: readonly Capture[] = [
  {
    ...PERPETUAL,
    name: "btcusdt-perp_20230404-05",
    files: [...booksAndTrades("btcusdt-perp_20230404-05"), "mark/btcusdt-perp_20230404-05.csv.gz"],
    firstPrice: 28_150,
    sigmaBps: 0.3,
    clockPartsAt: [13_385n],
    hasIndex: true,
  },
  {
    ...PERPETUAL,
    name: "btcusdt-perp_20240718-19",
    files: booksAndTrades("btcusdt-perp_20240718-19"),
    firstPrice: 64_000,
    sigmaBps: 0.4,
    clockPartsAt: [11_415n],
  },
  {
    ...PERPETUAL,
    name: "btcusdt-perp_20240808",
    files: booksAndTrades("btcusdt-perp_20240808"),
    firstPrice: 61_700,
    sigmaBps: 1.4,
  },
  {
    name: "btc-hyperliquid_20250126",
    files: booksAndTrades("btc-hyperliquid_20250126"),
    tickSizeQuote: "1",
    stepSizeBase: "0.00001",
    firstPrice: 105_000,
    halfSpreadBps: 1,
    sigmaBps: 0.3,
  },
  {
    name: "btcusdt-spot_20220115",
    files: ["trades/btcusdt-spot_20220115_ticks.csv.gz"],
    tickSizeQuote: "0.01",
    stepSizeBase: "0.00001",
    firstPrice: 43_000,
    halfSpreadBps: 3,
    sigmaBps: 0.5,
  },
  ...["20210701", "20210702"].map(
    (day): Capture => ({
      name: `ethusd-gemini-spot_${day}`,
      files: [
        `trades/ethusd-gemini-spot_${day}.ndjson.gz`,
        `bbo/ethusd-gemini-spot_${day}_1s.csv.gz`,
      ],
      tickSizeQuote: "0.01",
      stepSizeBase: "0.00000001",
      firstPrice: 2_200,
      halfSpreadBps: 5,
      sigmaBps: 1.5,
    }),
  ),
  ...(
    [
      ["adausdt-binance-perp_1M_20221213", "0.0001", "1", 0.31],
      ["btcusd-coinbase_1M_20170903-04", "0.01", "0.00000001", 4_640],
      ["ethusd-coinbase_1M_20170903-04", "0.01", "0.00000001", 355],
      ["btcusd-coinbase_1M_20171217", "0.01", "0.00000001", 19_650],
      ["btcusd-dydx-perp_1M_20260101", "1", "0.0001", 87_500],
    ] as const
  ).map(
    ([name, tickSizeQuote, stepSizeBase, firstPrice]): Capture => ({
      ...MINUTES,
      name,
      files: [`klines/${name}.ndjson.gz`],
      tickSizeQuote,
      stepSizeBase,
      firstPrice,
      sigmaBps: 1.5,
    }),
  ),
  {
    name: "wldusdt-perp_3m_20230912-20231211",
    files: ["klines/wldusdt-perp_3m_20230912-20231211.ndjson.gz"],
    interval: "3M",
    tickSizeQuote: "0.0001",
    stepSizeBase: "1",
    firstPrice: 1.03,
    halfSpreadBps: 20,
    sigmaBps: 1.5,
  },
  ...(
    [
      ["btcusdt-spot", "0.01", "0.00001", 114_000],
      ["xrpusdt-spot", "0.0001", "0.1", 2.84],
    ] as const
  ).map(
    ([market, tickSizeQuote, stepSizeBase, firstPrice]): Capture => ({
      name: `${market}_15M, last quarter of 2025`,
      files: [`klines/${market}_15M_20241230-20260429.ndjson.gz`],
      interval: "15M",
      tickSizeQuote,
      stepSizeBase,
      firstPrice,
      halfSpreadBps: 20,
      sigmaBps: 1,
      from: "2025-10-01",
      to: "2026-01-01",
    }),
  ),
  {
    ...HOURLY,
    name: "btcusdt-spot_1H, 2022 with Binance's funding",
    files: [
      "klines/btcusdt-spot_1H_20220101-20260429.ndjson.gz",
      "funding/btcusdt-perp_binance_funding.ndjson.gz",
    ],
    tickSizeQuote: "0.01",
    stepSizeBase: "0.00001",
    firstPrice: 46_200,
    sigmaBps: 1,
    from: "2022-01-01",
    to: "2023-01-01",
  },
  {
    ...HOURLY,
    name: "btcusdt-spot_1H, 2025",
    files: ["klines/btcusdt-spot_1H_20220101-20260429.ndjson.gz"],
    tickSizeQuote: "0.01",
    stepSizeBase: "0.00001",
    firstPrice: 93_500,
    sigmaBps: 1,
    from: "2025-01-01",
    to: "2026-01-01",
  },
];

function booksAndTrades(tag: string): readonly string[] {
  return [`trades/${tag}.ndjson.gz`, `books/${tag}.ndjson.gz`];
}

/** True if a capture has order books: elsewhere the amounts at the best prices are not known. */
export function hasBooks({ files }: Capture): boolean {
  return files.some((file) => file.startsWith("books/"));
}

/** Absolute paths of a capture's files. */
export function captureFiles({ files }: Capture): readonly string[] {
  return files.map((file) => join(recordedDataFolder(), file));
}

/** The files that are not on this machine. */
export function missingFiles(captures: readonly Capture[]): readonly string[] {
  return captures.flatMap(captureFiles).filter((file) => !existsSync(file));
}
