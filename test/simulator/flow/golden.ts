import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { CapturedBook, CaptureEvent } from "#simulator/capture-events.js";
import type { CaptureFiles } from "#simulator/capture-files.js";

const level = z.tuple([z.number(), z.number()]);
const shape = z.object({
  firstLineOfSecondFile: z.int(),
  recvOffsetNs: z.record(z.string(), z.string()),
  bookCheckpointsLocalTime: z.array(
    z.object({ localTimeNs: z.string(), bids: z.array(level), asks: z.array(level) }),
  ),
  eod20240808: z.object({ levels: z.int(), bestBids: z.array(level), worstAsks: z.array(level) }),
});

/**
 * The numbers that hftbacktest publishes for two of the captures, stored beside the recorded data.
 */
function golden(files: CaptureFiles) {
  return shape.parse(
    JSON.parse(readFileSync(join(dirname(files.books), "..", "golden_hftbacktest.json"), "utf8")),
  );
}

/** The last book of 2024-08-08. */
export function goldenEndOfDay(files: CaptureFiles) {
  return golden(files).eod20240808;
}

/**
 * Five books of 2024-07-19 as the recorder saw them, and the correction of the recorder's clock
 * (the two files of one capture differ).
 */
export function goldenLocalBooks(files: CaptureFiles) {
  const { bookCheckpointsLocalTime, firstLineOfSecondFile, recvOffsetNs } = golden(files);
  const [first, second] = Object.values(recvOffsetNs).map(BigInt);
  if (first === undefined || second === undefined)
    throw new Error("the golden file has lost its clock offsets");
  const localNsOf = (event: CaptureEvent | CapturedBook): bigint =>
    (event.receivedNs ?? 0n) + (event.line < firstLineOfSecondFile ? first : second);
  return { checkpoints: bookCheckpointsLocalTime, localNsOf };
}
