import { ConfigError } from "../../../core/errors.js";
import { familyFor, intervalFor } from "../../kinds.js";
import { parquetSql } from "../../staging/decimal-places.js";
import { type Duck, literal, toBigInt } from "../../store/duck.js";
import type { PlainFile } from "../plain-file.js";
import type { JsonFields } from "../text/json-numbers.js";
import { marketColumn, marketSql, marketsSql } from "../text/market-column.js";
import { describeParquet, requireReadDecimals, roundedStamps } from "../text/parquet-types.js";
import { csvSql, ndjsonSql } from "../text/reading-sql.js";
import { ROW_NUMBER, withRowNumbers } from "../text/row-numbers.js";
import {
  areStampsSplit,
  MESSAGE_NS,
  type MessageKey,
  messagesSql,
  splitFindings,
} from "./book-messages.js";
import { withInterval } from "./candle-interval.js";
import { hasChainColumns, mappedChain } from "./mapped-chain.js";
import { MappedColumns } from "./mapped-columns.js";
import { kindForMapping, type Mapping } from "./mapping.js";
import { type FileFormat, numbered, type ShapedFile } from "./shape.js";

/** Enough rows to see whether a file runs backwards. */
const LOOKED_AT_ROWS = 10_000;

/**
 * The columns that separate messages of a book with one row per level, besides the market and the
 * stamps.
 */
const MESSAGE_COLUMNS = ["isSnapshot", "beginSequence", "endSequence", "prevEndSequence"];
const NS_A_SECOND = 1_000_000_000n;

/**
 * Reads a file with any columns, by a mapping. `symbol` selects one market of a file of several;
 * the chain of sequences is checked for it.
 * @param names of its columns, or of its first record's fields, if its first line has them.
 * @returns undefined if the candles are too few to show their interval.
 * @throws ConfigError for a column that the file lacks, and for candles of another interval than
 * the mapping's or the requested one
 */
export async function mappedShape(
  duck: Duck,
  { path, file }: Pick<PlainFile, "path" | "file">,
  format: FileFormat,
  names: readonly string[],
  mapping: Mapping,
  { symbol, interval }: { readonly symbol?: string; readonly interval?: string } = {},
): Promise<ShapedFile | undefined> {
  const kind = kindForMapping(mapping);
  const isParquet = format.format === "parquet";
  const held = isParquet ? await columnsOf(duck, path) : names;
  if (isParquet) await requireReadDecimals(duck, path, file, Object.values(mapping.columns));
  const market = marketColumn(held);
  const table = tableSql(path, format, mapping, file, held, market);
  const columns = new MappedColumns(mapping, isParquet);
  const { isSnapshot } = columns;
  const key =
    kind === "book" ? await messageKey(duck, table, mapping, market, columns.recvNs) : undefined;
  const isSplit =
    key?.arrival !== undefined && (await areStampsSplit(duck, table, key, columns.timeNs));
  const timeNs = isSplit ? MESSAGE_NS : columns.timeNs;
  const split = isSplit ? await splitFindings(duck, table, key, columns.timeNs) : [];
  // Ids order records of equal stamps; without ids the file's order does.
  const isTurned = columns.areNumbered && (await runsBackwards(duck, table, timeNs));
  const from =
    key !== undefined
      ? messagesSql(table, key, isSplit ? columns.timeNs : undefined)
      : isTurned
        ? turnedSql(table)
        : table;
  const [first] = columns.areNumbered
    ? await duck.rows(`SELECT ${timeNs} AS timeNs FROM ${from} LIMIT 1`)
    : [];
  const all = columns.all(first, timeNs);
  const select = `SELECT ${all} FROM ${from}`;
  const isNumbered = key !== undefined || isTurned;
  const stamps = isParquet
    ? await roundedStamps(duck, path, file, [
        mapping.columns.time,
        mapping.columns.recvTime,
        mapping.columns.nextFundingTime,
      ])
    : [];
  const numbering = columns.areNumbered ? numbered("it has no ids") : { findings: [] };
  const turned = isTurned ? ["its newest row comes first: it is read from its end"] : [];
  const shaped = familyFor(kind).endsWith("klines")
    ? await withInterval(duck, { select, file }, candlesOf(mapping, interval))
    : { kind, select, isByMessage: kind === "book", ...numbering };
  if (shaped === undefined) return undefined;
  const chain = hasChainColumns(mapping.columns)
    ? await mappedChain(
        duck,
        {
          from,
          timeNs,
          isSnapshot,
          beginSequence: columns.wholeOf("beginSequence"),
          endSequence: columns.wholeOf("endSequence"),
          prevEndSequence: columns.wholeOf("prevEndSequence"),
          isWantedMarket:
            market === undefined || symbol === undefined
              ? "true"
              : `${marketSql(market)} = ${literal(symbol)}`,
        },
        mapping.columns.prevEndSequence !== undefined,
      )
    : { findings: [] };
  return {
    ...shaped,
    ...chain,
    findings: [...shaped.findings, ...turned, ...split, ...chain.findings, ...stamps],
    json: format.format === "ndjson" ? jsonFields(mapping) : undefined,
    symbol: market === undefined ? undefined : marketsSql(table, market),
    numbered: `SELECT ${all}, ${ROW_NUMBER} FROM ${isNumbered ? from : withRowNumbers(from)}`,
    ofSymbol: market === undefined ? undefined : (one) => `WHERE ${marketSql(market)} = ${one}`,
  };
}

/**
 * The kind of a mapping's candles: the one that it names, else the requested interval's.
 * @throws ConfigError if the two differ
 */
function candlesOf({ kind }: Mapping, interval: string | undefined): string {
  const kindInterval = intervalFor(kind);
  if (interval === undefined || interval === kindInterval) return kind;
  if (kindInterval === "") return `${kind}-${interval}`;
  throw new ConfigError("contradicts the mapping", {
    field: "interval",
    value: interval,
    expected: `${kindInterval}, as in the mapping's kind, or no interval`,
  });
}

/**
 * The key that separates messages of a mapped book: the local stamps if they are finer than a
 * second, else both stamps. Within a second several messages may come.
 */
async function messageKey(
  duck: Duck,
  table: string,
  { columns }: Mapping,
  market: string | undefined,
  recvNs: string,
): Promise<MessageKey> {
  const shared = [...MESSAGE_COLUMNS.map((name) => columns[name]), market].filter(
    (column) => column !== undefined,
  );
  const { time, recvTime } = columns as Mapping["columns"] & { readonly time: string };
  if (recvTime === undefined) return { shared: [time, ...shared] };
  const first = `SELECT ${recvNs} AS ns FROM ${table} LIMIT ${LOOKED_AT_ROWS}`;
  const { fine } = await duck.row(
    `SELECT count(*) FILTER (ns % ${NS_A_SECOND} <> 0) AS fine FROM (${first})`,
  );
  return toBigInt(fine) === 0n
    ? { shared: [time, recvTime, ...shared] }
    : { shared, arrival: { column: recvTime, time } };
}

/**
 * True if the newest of a file's first rows is the first one, and no row is newer than the previous
 * row.
 */
async function runsBackwards(duck: Duck, table: string, timeNs: string): Promise<boolean> {
  const steps = `SELECT ${timeNs} - lag(${timeNs}) OVER () AS step FROM (SELECT * FROM ${table} LIMIT ${LOOKED_AT_ROWS})`;
  const { back, on } = await duck.row(
    `SELECT count(*) FILTER (step < 0) AS back, count(*) FILTER (step > 0) AS "on" FROM (${steps})`,
  );
  return toBigInt(back) > 0n && toBigInt(on) === 0n;
}

/** SQL of a table's rows in reverse order. */
function turnedSql(table: string): string {
  return `(SELECT * FROM ${withRowNumbers(table)} ORDER BY ${ROW_NUMBER} DESC)`;
}

/** The fields that a mapping reads of a JSON record: texts, converted to numbers afterwards. */
function jsonFields({ columns }: Mapping): JsonFields {
  return Object.fromEntries(Object.values(columns).map((name) => [name, "VARCHAR"]));
}

async function columnsOf(duck: Duck, path: string): Promise<string[]> {
  return (await describeParquet(duck, path)).map(({ column_name }) => String(column_name));
}

function tableSql(
  path: string,
  format: FileFormat,
  mapping: Mapping,
  file: string,
  held: readonly string[],
  market: string | undefined,
): string {
  const wanted = Object.values(mapping.columns);
  if (format.format === "ndjson") {
    const [alike, other] = wanted.flatMap((name) => {
      const found = wanted.find(
        (each) => each !== name && each.toLowerCase() === name.toLowerCase(),
      );
      return found === undefined ? [] : [name, found];
    });
    if (alike !== undefined)
      throw new ConfigError(`are fields of ${file} that differ only in upper and lower case`, {
        field: "mapping.columns",
        value: `${alike} and ${other}`,
        expected: "only one of them: rename the other in the file",
      });
    return ndjsonSql(path, {
      ...(market === undefined ? {} : { [market]: "VARCHAR" }),
      ...jsonFields(mapping),
    });
  }
  const lacking = wanted.find((name) => !held.includes(name));
  if (lacking !== undefined)
    throw new ConfigError(`is not a column of ${file}`, {
      field: "mapping.columns",
      value: lacking,
      expected: `one of ${held.join(", ")}`,
    });
  return format.format === "parquet"
    ? parquetSql(path)
    : csvSql({ ...format, path, columns: held });
}
