import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Instrument } from "#core/instrument.js";
import { readCapture } from "#simulator/capture.js";
import type { CaptureEvent } from "#simulator/capture-events.js";
import { type CaptureFiles, findCaptureFiles } from "#simulator/capture-files.js";
import { recordedDataFolder } from "#simulator/data-folder.js";

/** The grid of the recorded BTC perpetual. */
export const btcGrid = new Instrument({
  marketId: "btcusdt",
  tickSize: "0.1",
  stepSize: "0.001",
  creditDecimals: 6,
  paperDecimals: 18,
});

/**
 * The files of a recorded tag, or null (with the reason for the skipped test) if this machine has
 * no such data.
 */
export function recordedCapture(tag: string): CaptureFiles | null {
  const folder = recordedDataFolder();
  if (!existsSync(join(folder, "books", `${tag}.ndjson.gz`))) {
    console.info(`skipped: no recorded data of ${tag} in ${folder} (set MARKETWRIGHT_DATA)`);
    return null;
  }
  return findCaptureFiles(folder, tag);
}

/** Writes a capture for one test: text becomes a gzip file, bytes are kept as they are. */
export function writeCapture(parts: {
  books: string | Buffer;
  trades?: string;
  tradesCsv?: string;
  mark?: string;
}): CaptureFiles {
  const folder = mkdtempSync(join(tmpdir(), "marketwright-capture-"));
  for (const stream of ["books", "trades", "mark"]) mkdirSync(join(folder, stream));
  const write = (path: string, content: string | Buffer | undefined): void => {
    if (content !== undefined)
      writeFileSync(join(folder, path), typeof content === "string" ? gzipSync(content) : content);
  };
  write("books/tag.ndjson.gz", parts.books);
  write("trades/tag.ndjson.gz", parts.trades);
  write("trades/tag.csv.gz", parts.tradesCsv);
  write("mark/tag.csv.gz", parts.mark);
  return findCaptureFiles(folder, "tag");
}

/** One book record's line. */
export function bookLine(
  type: "snapshot" | "update",
  line: number,
  timestamp: number,
  bids: string[][],
  asks: string[][],
): string {
  return `${JSON.stringify({ type, line, ticker_id: "BTCUSDT", timestamp, recvTimeNs: `${timestamp}000000`, bids, asks })}\n`;
}

/** One trade's line. */
export function tradeLine(
  line: number,
  time: number,
  price: string,
  amount: string,
  isBuyerMaker: boolean,
): string {
  return `${JSON.stringify({ id: line, price, amount, quoteAmount: "0", time, isBuyerMaker, status: "SETTLED", line })}\n`;
}

/** Every event of a capture, in order. */
export async function readAll(files: CaptureFiles, instrument = btcGrid): Promise<CaptureEvent[]> {
  const events: CaptureEvent[] = [];
  for await (const batch of readCapture(files, instrument))
    for (const event of batch) events.push(event);
  return events;
}
