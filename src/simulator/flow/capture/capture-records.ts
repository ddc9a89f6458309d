import { FormatError } from "../../../core/errors.js";
import type { Ms } from "../../../core/units.js";
import type { CapturedBook, CapturedMark, CapturedTrade } from "./capture-events.js";
import type { GridDecoder } from "./grid-decoder.js";

/** A parsed line: a JSON object, or a CSV row under its header. */
export type RawRecord = Readonly<Record<string, unknown>>;

/**
 * Parses one JSON line.
 * @throws FormatError when it is not a JSON object.
 */
export function parseJsonRecord(text: string): RawRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new FormatError("is not a JSON record", {
      value: text,
      expected: "one JSON object on each line",
      cause,
    });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new FormatError("is not a JSON record", {
      value: text,
      expected: "one JSON object on each line",
    });
  }
  return Object.fromEntries(Object.entries(value));
}

/**
 * Splits a CSV row under its header.
 * @throws FormatError when the row has another number of fields.
 */
export function parseCsvRecord(header: readonly string[], text: string): RawRecord {
  const cells = splitCsv(text);
  if (cells.length !== header.length) {
    throw new FormatError("has another number of fields than its header", {
      value: text,
      expected: `${header.length} fields: ${header.join(",")}`,
    });
  }
  return Object.fromEntries(header.map((name, column) => [name, cells[column]]));
}

/** Splits a CSV line without quotes into cells, and drops a carriage return at its end. */
export function splitCsv(text: string): string[] {
  return text.replace(/\r$/, "").split(",");
}

/**
 * Decodes a book message. `fallbackLine` replaces a missing `line`.
 * @throws FormatError when a field is missing, of another type, or off the market's grid.
 */
export function decodeBook(
  record: RawRecord,
  fallbackLine: number,
  grid: GridDecoder,
): CapturedBook {
  const kind = record.type;
  if (kind !== "snapshot" && kind !== "update") {
    throw new FormatError("is not a book record", {
      field: "type",
      value: kind,
      expected: '"snapshot" or "update"',
    });
  }
  return {
    kind,
    timeMs: timeOf(record, "timestamp"),
    line: lineOf(record, fallbackLine),
    receivedNs: receivedOf(record),
    bids: levelsOf(record, "bids", grid),
    asks: levelsOf(record, "asks", grid),
  };
}

/**
 * Decodes a trade.
 * @throws FormatError as {@link decodeBook}, and when its amount is zero.
 */
export function decodeTrade(
  record: RawRecord,
  fallbackLine: number,
  grid: GridDecoder,
): CapturedTrade {
  const lots = grid.parseAmount(stringOf(record, "amount"));
  if (lots === 0)
    throw new FormatError("is not a positive amount", {
      field: "amount",
      value: record.amount,
      expected: "a positive amount",
    });
  return {
    kind: "trade",
    timeMs: timeOf(record, "time"),
    line: lineOf(record, fallbackLine),
    receivedNs: receivedOf(record),
    id: String(integerOf(record, "id")),
    ticks: grid.parsePrice(stringOf(record, "price")),
    lots,
    aggressor: booleanOf(record, "isBuyerMaker") ? "SELL" : "BUY",
  };
}

/**
 * Decodes a mark.
 * @throws FormatError as {@link decodeBook}.
 */
export function decodeMark(record: RawRecord, fallbackLine: number): CapturedMark {
  return {
    kind: "mark",
    timeMs: timeOf(record, "time"),
    line: lineOf(record, fallbackLine),
    receivedNs: receivedOf(record),
    markPrice: priceTextOf(record, "markPrice"),
    indexPrice: priceTextOf(record, "indexPrice"),
  };
}

/** Flat pairs of ticks and lots. */
function levelsOf(record: RawRecord, field: "bids" | "asks", grid: GridDecoder): number[] {
  const levels = record[field];
  if (!Array.isArray(levels))
    throw new FormatError("no levels", {
      field,
      value: levels,
      expected: "an array of [price, amount]",
    });
  const pairs = new Array<number>(2 * levels.length);
  for (let i = 0; i < levels.length; i += 1) {
    const level: unknown = levels[i];
    const [price, amount]: unknown[] = Array.isArray(level) ? level : [];
    if (typeof price !== "string" || typeof amount !== "string") {
      throw new FormatError("is not a level", {
        field: `${field}[${i}]`,
        value: level,
        expected: "two decimal strings: [price, amount]",
      });
    }
    pairs[2 * i] = grid.parsePrice(price);
    pairs[2 * i + 1] = grid.parseAmount(amount);
  }
  return pairs;
}

function stringOf(record: RawRecord, field: string): string {
  const value = record[field];
  if (typeof value === "string") return value;
  throw new FormatError("is not a decimal string", {
    field,
    value: value ?? null,
    expected: "a decimal string",
  });
}

function priceTextOf(record: RawRecord, field: string): string {
  const text = stringOf(record, field);
  if (/^\d{1,15}(\.\d{1,30})?$/.test(text) && Number(text) > 0) return text;
  throw new FormatError("is not a price", {
    field,
    value: text,
    expected: "a positive decimal string",
  });
}

/** A JSON number, or the digits of a CSV cell. */
function integerOf(record: RawRecord, field: string): number {
  const value = record[field];
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof number === "number" && Number.isSafeInteger(number) && number >= 0) return number;
  throw new FormatError("is not a whole number", {
    field,
    value: value ?? null,
    expected: "a non-negative integer",
  });
}

function timeOf(record: RawRecord, field: string): Ms {
  return integerOf(record, field);
}

function lineOf(record: RawRecord, fallbackLine: number): number {
  return record.line === undefined ? fallbackLine : integerOf(record, "line");
}

function receivedOf(record: RawRecord): bigint | null {
  const value = record.recvTimeNs;
  if (value === undefined) return null;
  if (typeof value === "string" && /^\d{1,20}$/.test(value)) return BigInt(value);
  throw new FormatError("is not a time in nanoseconds", {
    field: "recvTimeNs",
    value,
    expected: "a string of digits",
  });
}

function booleanOf(record: RawRecord, field: string): boolean {
  const value = record[field];
  if (value === true || value === "true") return true;
  if (value === false || value === "false") return false;
  throw new FormatError("is not a boolean", {
    field,
    value: value ?? null,
    expected: "true or false",
  });
}
