import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { seededRandom } from "#core/seeded-random.js";
import type { Tape } from "#history/tape.js";
import { TapeBuilder } from "#history/tape-builder.js";
import { recordedDataFolder } from "#simulator/data-folder.js";
import { BTC_GRID, captureTape, hasCapture } from "../test/support/capture-tape.js";
import { effort } from "./effort.js";
import { seededBooks } from "./seeded-books.js";

const CAPTURE = "btcusdt-perp_20240808";
const TRADES = "btcusdt-spot_20220115_ticks";
const GRID = {
  marketId: BTC_GRID.marketId,
  tickSize: BTC_GRID.tickSize,
  stepSize: BTC_GRID.stepSize,
};
/** The seeded walk of trades, in ticks. */
const SEEDED = { trades: effort(200_000, 5000), mid: 600_000 };

/** A trial run reads no recording, which would take most of its time. */
const IN_EARNEST = effort(1, 0) === 1;

/** History to replay, and its origin in words. */
export interface MarketTape {
  readonly tape: Tape;
  readonly source: string;
}

/** The recorded capture's books and trades; without recorded data, seeded ones. */
export function bookTape(): MarketTape {
  if (IN_EARNEST && hasCapture(CAPTURE))
    return { tape: captureTape(CAPTURE, 1000), source: `the recorded capture ${CAPTURE}` };
  return {
    tape: seededBooks(),
    source: "seeded books of the capture's size (no recorded data here)",
  };
}

/** The recorded trades of one day; without recorded data, a seeded walk. */
export function tradeTape(): MarketTape {
  const file = `${recordedDataFolder()}/trades/${TRADES}.csv.gz`;
  if (IN_EARNEST && existsSync(file))
    return { tape: recordedTrades(file), source: `the trades of the recorded day ${TRADES}` };
  return {
    tape: seededTrades(),
    source: "a seeded walk of a day's trades (no recorded data here)",
  };
}

/** The same history, later by `byUs`; its rows are shared. */
export function shiftTape(tape: Tape, byUs: number): Tape {
  const later = (stamps: Float64Array): Float64Array => stamps.map((us) => us + byUs);
  return { ...tape, exchangeUs: later(tape.exchangeUs), localUs: later(tape.localUs) };
}

/** The messages of its first `us` microseconds of exchange time; the columns are shared. */
export function firstOf(tape: Tape, us: number): Tape {
  const endUs = (tape.exchangeUs[0] as number) + us;
  const found = tape.exchangeUs.findIndex((stampUs) => stampUs >= endUs);
  const messages = found < 0 ? tape.messages : found;
  const rows = tape.rowEnd[messages - 1] as number;
  return {
    ...tape,
    messages,
    rows,
    byLocal: tape.byLocal?.filter((message) => message < messages),
  };
}

function recordedTrades(file: string): Tape {
  const [header = "", ...lines] = gunzipSync(readFileSync(file))
    .toString("utf8")
    .trimEnd()
    .split("\n");
  const columns = header.trim().split(",");
  const [price, amount, time, isBuyerMaker] = ["price", "amount", "time", "isBuyerMaker"].map(
    (name) => columns.indexOf(name),
  ) as [number, number, number, number];
  // Spot has a finer grid than the perpetual.
  const builder = new TapeBuilder({ marketId: "btcusdt", tickSize: "0.01", stepSize: "0.00001" });
  for (const line of lines) {
    const cells = line.trim().split(",");
    const stampUs = Number(cells[time]) * 1000;
    const lots = Math.round(Number(cells[amount]) * 100_000);
    const ticks = Math.round(Number(cells[price]) * 100);
    if (lots > 0)
      builder.trade(stampUs, stampUs, cells[isBuyerMaker] === "true" ? "SELL" : "BUY", ticks, lots);
  }
  return builder.build();
}

function seededTrades(): Tape {
  const random = seededRandom("trade-tape");
  const builder = new TapeBuilder(GRID);
  let mid = SEEDED.mid;
  for (let at = 0; at < SEEDED.trades; at++) {
    mid += random.uniform() < 0.5 ? 1 : -1;
    builder.trade(
      at * 1000,
      at * 1000,
      random.uniform() < 0.5 ? "BUY" : "SELL",
      mid,
      1 + Math.floor(random.uniform() * 500),
    );
  }
  return builder.build();
}
