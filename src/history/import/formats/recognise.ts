import { basename } from "node:path";
import { ConfigError } from "../../../core/errors.js";
import { HistoryError } from "../../history-errors.js";
import { layoutFor } from "../../kinds.js";
import { withReadErrors } from "../../staging/decimal-places.js";
import type { Duck } from "../../store/duck.js";
import type { LinedFile } from "../bad-lines.js";
import type { PlainFile } from "../plain-file.js";
import { isParquet, isUtf16, readFirstLine } from "../text/first-line.js";
import { columnsOf, fieldsOfLine, hasNumber, mappedFields } from "../text/header.js";
import { endFindings, refuseLongEnd } from "../text/line-ends.js";
import { marketColumn, marketsSql } from "../text/market-column.js";
import { type TextSql, withValueErrors } from "../text/odd-values.js";
import { describeParquet } from "../text/parquet-types.js";
import { type CsvFile, DELIMITERS } from "../text/plain-csv.js";
import { textSql } from "../text/reading-sql.js";
import { binanceCsv, binanceShape } from "./binance-shapes.js";
import { CONVERT_CONTRACTS, findContractAmounts } from "./contract-amounts.js";
import {
  bboShape,
  bookShape,
  fundingShape,
  klinesShape,
  marksShape,
  tradesShape,
} from "./exchange-shapes.js";
import { refuseLookalike } from "./lookalikes.js";
import { mappedShape } from "./mapped-shape.js";
import type { Mapping } from "./mapping.js";
import { jsonList, refuseNested } from "./nested-json.js";
import type { FileFormat, ShapedFile } from "./shape.js";
import { SHAPES, type Shape } from "./shape-names.js";
import { tardisBook, tardisTrades } from "./tardis-shapes.js";

/** The user's choices about a file. */
export interface ShapeOptions {
  /** One of SHAPES; recognised by the file's first line if absent. */
  readonly shape?: string;
  readonly mapping?: Mapping;
  /** The interval of candles, in the exchange's spelling; taken from the data if absent. */
  readonly interval?: string;
  /** The market to read from files that hold several. */
  readonly symbol?: string;
}

/** Fields that only files of one shape have in their header or first record. */
const MARKS: readonly (readonly [Shape, readonly string[]])[] = [
  ["tardis-book", ["local_timestamp", "is_snapshot", "side", "price", "amount"]],
  ["tardis-trades", ["local_timestamp", "id", "side", "price", "amount"]],
  ["binance-aggTrades", ["agg_trade_id", "transact_time", "is_buyer_maker"]],
  ["binance-trades", ["qty", "quote_qty", "is_buyer_maker"]],
  ["binance-klines", ["open_time", "close_time", "open", "volume"]],
  ["binance-bookTicker", ["best_bid_price", "best_ask_price", "transaction_time"]],
  ["book", ["type", "bids", "asks", "timestamp"]],
  ["marks", ["time", "markPrice"]],
  ["bbo", ["time", "bid", "bidAmount", "ask", "askAmount"]],
  ["funding", ["fundingRate", "fundingTime"]],
  ["klines", ["time", "open", "high", "low", "close", "volume"]],
  ["trades", ["id", "price", "amount", "time", "isBuyerMaker"]],
];

/**
 * Files without a header are recognised by Binance's file names:
 * `BTCUSDT-aggTrades-2024-08-08.csv`.
 */
const NAMES: readonly (readonly [Shape, RegExp])[] = [
  ["binance-aggTrades", /-aggTrades-/],
  ["binance-trades", /-trades-/],
  ["binance-bookTicker", /-bookTicker-/],
  ["binance-klines", /-\d{1,2}(?:s|m|h|d|w|mo)-\d{4}/],
];

/**
 * Determines how the database reads a file.
 * @throws ConfigError for a shape or mapping that does not fit, HistoryError naming a file of no
 * known shape
 */
export async function recognise(
  duck: Duck,
  plain: PlainFile,
  options: ShapeOptions,
): Promise<ShapedFile> {
  const { writ: format, names, record } = detectFormat(plain, options.mapping);
  // A known or named shape reports itself which columns are missing.
  if (record !== undefined && options.shape === undefined && recogniseHeader(names) === undefined)
    refuseNested(
      record,
      plain.file,
      options.mapping === undefined ? undefined : Object.values(options.mapping.columns),
    );
  const shaped = await shapedBy(duck, plain, options, format, names);
  const market = marketColumn(names);
  const isAsked = shaped.symbol !== undefined || market === undefined || shaped.text === undefined;
  const contracts = await contractsOf(
    duck,
    plain,
    options,
    shaped,
    format.format === "parquet" ? await columnsInParquet(duck, plain) : names,
  );
  return {
    ...shaped,
    ...(isAsked ? {} : { symbol: marketsSql(shaped.text(market), market) }),
    ...(contracts === undefined ? {} : { isInContracts: true as const }),
    findings: [
      ...shaped.findings,
      ...(format.format === "csv" ? endFindings(plain.path) : []),
      ...(contracts === undefined
        ? []
        : [
            `${contracts}, not base units: a backtest counts each contract as one base unit (expected ${CONVERT_CONTRACTS})`,
          ]),
    ],
  };
}

/**
 * The reason why a file's amounts count contracts; undefined if there is none.
 * @throws HistoryError for a file of a publisher that forwards the exchanges' amounts unchanged
 */
async function contractsOf(
  duck: Duck,
  { file }: PlainFile,
  { mapping, symbol }: ShapeOptions,
  { shape, kind, text }: ShapedFile,
  names: readonly string[],
): Promise<string | undefined> {
  const ours = layoutFor(kind).columns.filter(({ type }) => type === "amount");
  if (text === undefined || ours.length === 0 || mapping?.amountUnit === "base") return undefined;
  if (mapping?.amountUnit === "contracts") return "its amounts count contracts";
  const amounts =
    mapping === undefined
      ? ours.map(({ name }) => name)
      : ours.flatMap(({ name }) => mapping.columns[name] ?? []);
  const contracts = await findContractAmounts(duck, { file, names, text, symbol, amounts });
  if (contracts === undefined || !isPublished(shape)) return contracts;
  throw new HistoryError(file, `${contracts}, not base units`, {
    value: shape,
    expected: CONVERT_CONTRACTS,
  });
}

/**
 * True if files of a shape are as their publisher wrote them, so that their amounts have not been
 * converted.
 */
function isPublished(shape: Shape | undefined): boolean {
  return shape !== undefined && /^(tardis|binance)-/.test(shape);
}

async function columnsInParquet(duck: Duck, { path }: PlainFile): Promise<string[]> {
  return (await describeParquet(duck, path)).map(({ column_name }) => String(column_name));
}

async function shapedBy(
  duck: Duck,
  plain: PlainFile,
  options: ShapeOptions,
  format: FileFormat,
  names: readonly string[],
): Promise<ShapedFile> {
  const { file, path } = plain;
  const { mapping } = options;
  const as = async (
    shape: Shape | undefined,
    text: TextSql,
    shaping: () => ReturnType<typeof named>,
  ): Promise<ShapedFile> => {
    return { ...(await shapedAs(duck, file, text, shaping)), shape };
  };
  if (mapping !== undefined)
    return as(undefined, textSql(path, format), () =>
      mappedShape(duck, plain, format, names, mapping, options),
    );
  const shape = shapeOf(file, basename(plain.name), names, options);
  refuseLookalike(shape, file, names);
  if (!shape.startsWith("binance-"))
    return as(shape, textSql(path, format), () => named(duck, plain, shape, format, options));
  const csv = binanceCsv(shape, plain, format, names);
  return as(shape, textSql(path, { format: "csv", ...csv }), () =>
    binanceShape(duck, shape, csv, kindOf(options), file),
  );
}

function shapedAs(
  duck: Duck,
  file: string,
  text: TextSql,
  shaping: () => Promise<ShapedFile | undefined> | ShapedFile,
): Promise<ShapedFile> {
  return withValueErrors(duck, file, text, () =>
    withReadErrors(file, async () => {
      const shaped = await shaping();
      if (shaped !== undefined) return { ...shaped, text };
      throw new ConfigError(`the interval of the candles of ${file} is unknown`, {
        field: "interval",
        expected: "an interval such as 1M or 15M",
      });
    }),
  );
}

function named(
  duck: Duck,
  { path, file }: PlainFile,
  shape: Shape,
  format: FileFormat,
  options: ShapeOptions,
): Promise<ShapedFile | undefined> | ShapedFile {
  const table = format.format === "csv" && format.hasHeader ? { ...format, path } : undefined;
  if (
    (shape.startsWith("tardis-") && table === undefined) ||
    (shape === "book" && format.format !== "ndjson") ||
    (format.format === "csv" && !format.hasHeader)
  ) {
    throw new HistoryError(file, `does not have the shape ${shape}`, {
      expected: shape === "book" ? "one JSON record on each line" : "CSV with a header",
    });
  }
  switch (shape) {
    case "tardis-trades":
      return tardisTrades(duck, table as CsvFile);
    case "tardis-book":
      return tardisBook(duck, table as CsvFile);
    case "book":
      return bookShape(duck, path, file);
    case "bbo":
      return bboShape(path, format);
    case "marks":
      return marksShape(path, format);
    case "funding":
      return fundingShape(path, format);
    case "klines":
      return klinesShape(duck, path, format, kindOf(options), file);
    default:
      return tradesShape(path, format);
  }
}

/** The requested kind of candles: one kind, or only the family if the data show the interval. */
function kindOf({ interval }: ShapeOptions): string {
  return interval === undefined ? "klines" : `klines-${interval}`;
}

/** The shape of a file by its columns; undefined if they match none. */
export function recogniseHeader(names: readonly string[]): Shape | undefined {
  return MARKS.find(([, fields]) => fields.every((field) => names.includes(field)))?.[0];
}

/**
 * The fields of a file's first line, which are its columns if it has a header; undefined for
 * Parquet.
 * @throws HistoryError for a file that cannot be read by lines
 */
export function readHeader(plain: PlainFile): readonly string[] | undefined {
  return isParquet(plain.path) ? undefined : detectFormat(plain, undefined).names;
}

/**
 * The layout of a file's lines; undefined for Parquet.
 * @throws HistoryError for a file that cannot be read by lines
 */
export function readLineLayout(
  plain: PlainFile,
  mapping: Mapping | undefined,
): LinedFile | undefined {
  const { writ: format, names } = detectFormat(plain, mapping);
  switch (format.format) {
    case "parquet":
      return undefined;
    case "ndjson":
      return { hasHeader: false };
    case "csv":
      return {
        hasHeader: format.hasHeader,
        fields: { count: names.length, delimiter: format.delimiter },
      };
  }
}

function shapeOf(
  file: string,
  name: string,
  names: readonly string[],
  { shape }: ShapeOptions,
): Shape {
  if (shape !== undefined) {
    const wished = SHAPES.find((known) => known === shape);
    if (wished !== undefined) return wished;
    throw new ConfigError("is an unknown shape", {
      field: "shape",
      value: shape,
      expected: `one of ${SHAPES.join(", ")}`,
    });
  }
  const found = recogniseHeader(names) ?? NAMES.find(([, pattern]) => pattern.test(name))?.[0];
  if (found !== undefined) return found;
  throw new HistoryError(file, "has an unknown shape", {
    value: names.join(", "),
    expected: hasNumber(names)
      ? "a header, or a mapping of its columns by position, such as --kind trades --columns time=0,price=1,amount=2"
      : "a shape that docs/reference/import-formats.md lists, --shape, or a mapping of its columns (--mapping, or --kind with --columns)",
  });
}

interface DetectedFile {
  readonly writ: FileFormat;
  readonly names: readonly string[];
  /** The first record of a file of JSON records. */
  readonly record?: object;
}

/**
 * @param mapping that reads the file: the first line then has the columns, whatever their names, or
 * the mapping gives them by position.
 */
function detectFormat({ path, file }: PlainFile, mapping: Mapping | undefined): DetectedFile {
  if (isParquet(path)) {
    if (mapping !== undefined) return { writ: { format: "parquet" }, names: [] };
    throw new HistoryError(file, "is Parquet with unknown columns", {
      expected: "a mapping of its columns (--mapping, or --kind with --columns)",
    });
  }
  if (isUtf16(path))
    throw new HistoryError(file, "is encoded in UTF-16", {
      expected: "text in UTF-8: iconv -f UTF-16 -t UTF-8",
    });
  const line = readFirstLine(path)?.replace(/^\ufeff/, "");
  if (line === undefined)
    throw new HistoryError(file, "is empty", { expected: "one record on each line" });
  if (line.startsWith("[")) throw jsonList(line, file);
  if (line.startsWith("{")) {
    const record = recordOf(line, file);
    return { writ: { format: "ndjson" }, names: Object.keys(record), record };
  }
  refuseLongEnd({ file, path });
  if (line.includes("\r"))
    throw new HistoryError(file, "has lines that end with only a carriage return", {
      value: line.slice(0, 80),
      expected: "lines that end with a line feed, with or without a carriage return before it",
    });
  const unquoted = line.replace(/"(?:[^"]|"")*"/g, "");
  const counts = DELIMITERS.map((each) => unquoted.split(each).length);
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ",";
  const fields = fieldsOfLine(line, file, delimiter);
  if (mapping !== undefined) {
    const { columns, hasHeader } = mappedFields(fields, mapping, file);
    return { writ: { format: "csv", columns, hasHeader, delimiter }, names: columns };
  }
  const hasHeader = !hasNumber(fields);
  const names = hasHeader ? columnsOf(fields, file) : fields;
  return { writ: { format: "csv", columns: names, hasHeader, delimiter }, names };
}

function recordOf(line: string, file: string): object {
  try {
    return JSON.parse(line) as object;
  } catch (cause) {
    throw new HistoryError(file, "begins with a line that is not JSON", {
      value: line.slice(0, 80),
      expected: "one JSON record on each line; jq -c . joins a record of several lines",
      cause,
    });
  }
}
