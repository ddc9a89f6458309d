import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ConfigError } from "../core/errors.js";
import { Instrument } from "../core/instrument.js";
import { loadOptional } from "../core/optional-part.js";
import type { MarketId } from "../core/units.js";
import { openTapes } from "../history/columns/tape/open-tapes.js";
import type { Tape } from "../history/columns/tape/tape.js";
import { TapeBuilder } from "../history/columns/tape/tape-builder.js";
import { parseInstantUs } from "../history/day.js";
import { importFiles } from "../history/import/import-files.js";
import { HistoryStore } from "../history/store/history-store.js";
import { addMessage, Capture, type CaptureMessage } from "./capture.js";
import { TEST_INSTRUMENT } from "./test-instrument.js";

/** Options of {@link openCapture}. */
export interface OpenCaptureOptions {
  /** Folder of a history store, as `marketwright data` fills it. */
  readonly store: string;
  /** Name of the market in the store. */
  readonly market: MarketId;
  /** A UTC day or time, inclusive. */
  readonly from: string;
  /** A UTC day or time, exclusive. */
  readonly to: string;
  /**
   * The grid of {@link TEST_INSTRUMENT} under the name `market` if absent. Its `marketId` names the
   * market in views and intents.
   */
  readonly instrument?: Instrument;
}

/**
 * Reads recorded books and trades from a history store into memory: an hour of a busy market takes
 * about 100 MB.
 * @throws ConfigError if the store has nothing of that time; RunError if the package
 * `@duckdb/node-api` is not installed
 * @example
 * ```ts
 * import { mkdtempSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { generateCapture, openCapture, writeCapture } from "marketwright/testing";
 *
 * const store = mkdtempSync(join(tmpdir(), "history-"));
 * const generated = generateCapture({ seconds: 10 });
 * await writeCapture(generated, { store, market: "btcusdc" });
 * const capture = await openCapture({
 *   store,
 *   market: "btcusdc",
 *   from: "2026-01-01",
 *   to: "2026-01-02",
 * });
 * [...capture.messages()].length === [...generated.messages()].length; // => true
 * ```
 */
export async function openCapture(options: OpenCaptureOptions): Promise<Capture> {
  const { store, market, instrument = namedMarket(options.market) } = options;
  await loadOptional("@duckdb/node-api");
  const source = await openTapes(new HistoryStore(resolve(store)), market, {
    fromUs: parseInstantUs(options.from, "from"),
    toUs: parseInstantUs(options.to, "to"),
    tickSize: instrument.tickSize,
    stepSize: instrument.stepSize,
  });
  const builder = new TapeBuilder(instrument);
  for await (const tape of source)
    for (const message of messagesIn(instrument, tape)) addMessage(builder, message);
  return new Capture(instrument, builder.build());
}

function namedMarket(marketId: MarketId): Instrument {
  const { tickSize, stepSize, creditDecimals, paperDecimals } = TEST_INSTRUMENT;
  return new Instrument({ marketId, tickSize, stepSize, creditDecimals, paperDecimals });
}

function messagesIn(instrument: Instrument, tape: Tape): Iterable<CaptureMessage> {
  return tape.messages === 0 ? [] : new Capture(instrument, tape).messages();
}

/** Options of {@link writeCapture}. */
export interface WriteCaptureOptions {
  /** Folder of the store, made if it does not exist. */
  readonly store: string;
  /** Name of the market in the store. */
  readonly market: MarketId;
}

/**
 * Writes a capture into a history store, for `marketwright backtest` and `sweep`. It replaces the
 * store's data of the same days.
 * @throws ConfigError for a capture whose book is unknown at some time; RunError if the package
 * `@duckdb/node-api` is not installed
 * @example
 * ```ts
 * import { existsSync, mkdtempSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { generateCapture, writeCapture } from "marketwright/testing";
 *
 * const store = join(mkdtempSync(join(tmpdir(), "history-")), "history");
 * await writeCapture(generateCapture({ seconds: 10 }), { store, market: "btcusdc" });
 * existsSync(store); // => true
 * ```
 */
export async function writeCapture(
  capture: Capture,
  { store, market }: WriteCaptureOptions,
): Promise<void> {
  await loadOptional("@duckdb/node-api");
  const { books, trades } = toRecords(capture, market);
  const folder = mkdtempSync(join(tmpdir(), "marketwright-capture-"));
  try {
    const files = [
      ["books", books],
      ["trades", trades],
    ] as const;
    const written = files.flatMap(([name, records]) => {
      if (records.length === 0) return [];
      const path = join(folder, `${market}-${name}.ndjson`);
      writeFileSync(path, `${records.map((record) => JSON.stringify(record)).join("\n")}\n`);
      return [path];
    });
    await importFiles(new HistoryStore(resolve(store)), {
      market,
      files: written,
      clock: { partsAt: [], baseLatencyNs: 0n },
      replace: true,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The messages as the exchange's own records, which an import reads. */
function toRecords(capture: Capture, market: MarketId) {
  const { instrument } = capture;
  const books: object[] = [];
  const trades: object[] = [];
  let sequence = 1000;
  let line = 0;
  for (const { kind, exchangeUs, receivedUs, rows } of capture.messages()) {
    line += 1;
    const time = Math.floor(exchangeUs / 1000);
    const recvTimeNs = String(BigInt(receivedUs) * 1000n);
    if (kind === "lost")
      throw new ConfigError("has a time at which its book is unknown", {
        field: "capture",
        value: time,
        expected: "a capture with a whole book at each time",
      });
    if (kind === "trade") {
      for (const { side, ticks, lots } of rows)
        trades.push({
          id: line,
          price: instrument.formatPrice(ticks),
          amount: instrument.formatAmount(lots),
          quoteAmount: instrument.creditToDecimal(instrument.creditFloor(ticks, lots)),
          time,
          isBuyerMaker: side === "SELL",
          status: "SETTLED",
          line,
          recvTimeNs,
        });
      continue;
    }
    const levels = (wanted: "BUY" | "SELL") =>
      rows
        .filter(({ side }) => side === wanted)
        .map(({ ticks, lots }) => [instrument.formatPrice(ticks), instrument.formatAmount(lots)]);
    const [bids, asks] = [levels("BUY"), levels("SELL")];
    const common = { line, ticker_id: market, timestamp: time, recvTimeNs, bids, asks };
    if (kind === "snapshot") {
      books.push({ type: "snapshot", sequence, ...common });
      continue;
    }
    books.push({
      type: "update",
      beginSequence: sequence + 1,
      endSequence: sequence + 1,
      prevEndSequence: sequence,
      eventTime: time,
      ...common,
    });
    sequence += 1;
  }
  return { books, trades };
}
