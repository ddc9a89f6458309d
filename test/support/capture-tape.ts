import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { Instrument } from "#core/instrument.js";
import type { Tape } from "#history/tape.js";
import { TapeBuilder } from "#history/tape-builder.js";
import { recordedDataFolder } from "#simulator/data-folder.js";

/**
 * The time by which a recorder's clock was behind, from a line of the capture on
 * (docs/ideas/order-flow.md#two-clocks).
 */
type Offsets = readonly (readonly [fromLine: number, addedNs: bigint])[];

/** The three recorded captures of the BTC perpetual, with what their clocks need. */
export const BTC_CAPTURES = {
  "btcusdt-perp_20230404-05": [
    [1, 18_836_000n],
    [13_385, 26_932_000n],
  ],
  "btcusdt-perp_20240718-19": [
    [1, 1_522_101_448n],
    [11_415, 1_523_469_656n],
  ],
  "btcusdt-perp_20240808": [[1, 1_272_156_851n]],
} as const satisfies Record<string, Offsets>;

/** A capture's tag. */
export type BtcCapture = keyof typeof BTC_CAPTURES;

/** The grid of the captured market. */
export const BTC_GRID = new Instrument({
  marketId: "btcusdt",
  tickSize: "0.1",
  stepSize: "0.001",
  creditDecimals: 6,
  paperDecimals: 18,
});

/** True when a capture lies on this machine; a test without it skips itself and reports so. */
export function hasCapture(tag: BtcCapture): boolean {
  return existsSync(fileOf("books", tag));
}

interface BookRecord {
  readonly type: "snapshot" | "update";
  readonly line: number;
  readonly timestamp: number;
  readonly recvTimeNs: string | number;
  readonly bids: readonly (readonly [string, string])[];
  readonly asks: readonly (readonly [string, string])[];
}

interface TradeRecord {
  readonly line: number;
  readonly time: number;
  readonly price: string;
  readonly amount: string;
  readonly isBuyerMaker: boolean;
}

/**
 * A capture as columns: books and trades, clock corrected, each message `baseLatencyUs` later than
 * the fastest was.
 */
export function captureTape(tag: BtcCapture, baseLatencyUs = 0): Tape {
  const offsets: Offsets = BTC_CAPTURES[tag];
  const builder = new TapeBuilder({
    marketId: BTC_GRID.marketId,
    tickSize: BTC_GRID.tickSize,
    stepSize: BTC_GRID.stepSize,
  });
  const localUs = (line: number, recvNs: string): number => {
    const added = offsets.findLast(([fromLine]) => line >= fromLine)?.[1] ?? 0n;
    return Number((BigInt(recvNs) + added) / 1000n) + baseLatencyUs;
  };
  for (const [record, recvNs] of recordsOf<BookRecord>("books", tag)) {
    const exchangeUs = record.timestamp * 1000;
    const stamps = [exchangeUs, localUs(record.line, recvNs), record.line] as const;
    if (record.type === "snapshot") builder.snapshot(...stamps);
    else builder.update(...stamps);
    for (const [price, amount] of record.bids)
      builder.level("BUY", BTC_GRID.parsePrice(price), BTC_GRID.parseAmount(amount));
    for (const [price, amount] of record.asks)
      builder.level("SELL", BTC_GRID.parsePrice(price), BTC_GRID.parseAmount(amount));
  }
  for (const [record, recvNs] of recordsOf<TradeRecord>("trades", tag)) {
    const taker = record.isBuyerMaker ? "SELL" : "BUY";
    const [ticks, lots] = [BTC_GRID.parsePrice(record.price), BTC_GRID.parseAmount(record.amount)];
    builder.trade(
      record.time * 1000,
      localUs(record.line, recvNs),
      taker,
      ticks,
      lots,
      record.line,
    );
  }
  return builder.build();
}

/** Each record with its receive stamp as text: nanoseconds pass 2^53. */
function* recordsOf<Shape>(
  folder: "books" | "trades",
  tag: BtcCapture,
): Iterable<readonly [Shape, string]> {
  for (const line of gunzipSync(readFileSync(fileOf(folder, tag)))
    .toString("utf8")
    .split("\n")) {
    if (line === "") continue;
    const recvNs = /"recvTimeNs":"?(\d+)/.exec(line)?.[1];
    if (recvNs === undefined) throw new Error(`${folder}/${tag}: a record without recvTimeNs`);
    yield [JSON.parse(line) as Shape, recvNs];
  }
}

function fileOf(folder: "books" | "trades", tag: BtcCapture): string {
  return join(recordedDataFolder(), folder, `${tag}.ndjson.gz`);
}
