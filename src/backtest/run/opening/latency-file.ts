import { ConfigError } from "../../../core/errors.js";
import { readPlainFile } from "../../../core/files/plain-files.js";
import { guessStampUnit } from "../../../history/staging/plausible-times.js";
import type { LatencySample } from "../../venue/latency/latency.js";

const COLUMNS = ["requestUs", "exchangeUs", "responseUs"] as const;

/**
 * Reads recorded round trips: a CSV with the columns requestUs, exchangeUs and responseUs, whole
 * microseconds since 1970.
 * @throws ConfigError
 */
export function readLatencyFile(path: string): LatencySample[] {
  const [header = "", ...lines] = latencyFileBytes(path).toString("utf8").trim().split(/\r?\n/);
  const names = header.split(",").map((name) => name.trim());
  const places = COLUMNS.map((column) => names.indexOf(column));
  if (places.includes(-1)) {
    throw new ConfigError("is not a file of round trips", {
      field: "fills.latencyFile",
      value: header,
      expected: `a first line with ${COLUMNS.join(", ")}`,
    });
  }
  return lines.map((line, at) => {
    const cells = line.split(",");
    const [requestUs, exchangeUs, responseUs] = places.map((place) => Number(cells[place])) as [
      number,
      number,
      number,
    ];
    // Read as microseconds, a delay of 5 ms would become 5 us, and each request would get the
    // file's last one.
    const unit = [requestUs, exchangeUs, responseUs]
      .map(guessStampUnit)
      .find((found) => found !== undefined);
    if (unit !== undefined)
      throw new ConfigError(`is in ${unit}`, {
        field: `fills.latencyFile line ${at + 2}`,
        value: line,
        expected: "microseconds since 1970",
      });
    if ([requestUs, exchangeUs, responseUs].every(Number.isSafeInteger) && responseUs >= requestUs)
      return { requestUs, exchangeUs, responseUs };
    throw new ConfigError("is not a valid round trip", {
      field: `fills.latencyFile line ${at + 2}`,
      value: line,
      expected: "three whole numbers of microseconds, with the response not before the request",
    });
  });
}

/**
 * The raw bytes of a file of recorded round trips.
 * @throws ConfigError where it cannot be read
 */
export function latencyFileBytes(path: string): Buffer {
  try {
    return readPlainFile(path);
  } catch (cause) {
    throw new ConfigError("cannot be read", {
      field: "fills.latencyFile",
      value: path,
      expected: "a CSV file",
      cause,
    });
  }
}
