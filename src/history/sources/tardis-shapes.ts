import { type Duck, wholeOf } from "../duck.js";
import { WHOLE_FROM_LEVEL } from "../kinds.js";
import { MESSAGE, messagesSql, PLACE } from "./book-messages.js";
import type { CsvFile } from "./plain-csv.js";
import { csvReading, csvSql } from "./reading-sql.js";
import { numbered, numberSql, type ShapedFile } from "./shape.js";
import { bidSql, takerSql } from "./sides.js";
import { isWholeSql } from "./whole-numbers.js";

/** Tardis's downloadable CSV files (docs.tardis.dev, "Downloadable CSV files"): stamps in microseconds, `local_timestamp` from its recorder. */
const STAMPS = "CAST(timestamp AS BIGINT) * 1000 AS timeNs, CAST(local_timestamp AS BIGINT) * 1000 AS recvNs";

const TYPES = { timestamp: "MICROSECONDS", local_timestamp: "MICROSECONDS", is_snapshot: "BOOLEAN" };
const DECIMALS = { price: "price", amount: "amount" };

/** `trades`: the side is the taker's; an id that is no integer gives way to the row's number. */
export async function tardisTrades(duck: Duck, csv: CsvFile): Promise<ShapedFile> {
  const all = csvSql(csv, TYPES);
  const { strange } = await duck.row(`SELECT count(*) FILTER (NOT ${isWholeSql("id")}) AS strange FROM ${all}`);
  const hasIds = wholeOf(strange) === 0n;
  const [first] = hasIds ? [] : await duck.rows(`SELECT CAST(timestamp AS BIGINT) * 1000 AS timeNs FROM ${all} LIMIT 1`);
  const reading = csvReading(
    csv,
    TYPES,
    DECIMALS,
    (from) =>
      `SELECT ${hasIds ? "CAST(id AS BIGINT)" : numberSql(first)} AS id, ${STAMPS}, CAST(NULL AS BIGINT) AS seq, price, amount, ${takerSql("side", "side")} AS isBuyerMaker, CAST(NULL AS VARCHAR) AS status FROM ${from}`,
  );
  return {
    kind: "trades",
    ...reading,
    ofSymbol: (symbol) => `${reading.select} WHERE symbol = ${symbol}`,
    symbol: `SELECT DISTINCT symbol FROM ${all}`,
    ...(hasIds ? { findings: [] } : numbered("its ids are no integers")),
  };
}

/** What the rows of one message have alike. */
const OF_A_MESSAGE = ["symbol", "timestamp", "local_timestamp", "is_snapshot"];

/**
 * `incremental_book_L2`: absolute amounts; the rows of one message have its two stamps. A snapshot of theirs replaces all that was there, also what
 * lies behind its last level.
 */
export function tardisBook(csv: CsvFile): ShapedFile {
  const level = `CASE WHEN is_snapshot THEN ${PLACE} + ${WHOLE_FROM_LEVEL} ELSE ${PLACE} END`;
  const reading = csvReading(
    csv,
    TYPES,
    DECIMALS,
    (from) =>
      `SELECT ${STAMPS}, ${MESSAGE} AS seq, is_snapshot AS isSnapshot, CAST(NULL AS BIGINT) AS beginSequence, CAST(NULL AS BIGINT) AS endSequence, ${level} AS level, ${bidSql("side", "side")} AS isBid, price, amount FROM ${messagesSql(from, OF_A_MESSAGE)}`,
  );
  return {
    kind: "book",
    isByMessage: true,
    ...reading,
    ofSymbol: (symbol) => `${reading.select} WHERE symbol = ${symbol}`,
    symbol: `SELECT DISTINCT symbol FROM ${csvSql(csv, TYPES)}`,
    findings: [],
  };
}
