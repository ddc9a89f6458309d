import { WHOLE_FROM_LEVEL } from "../../kinds.js";
import { type Duck, toBigInt } from "../../store/duck.js";
import type { CsvFile } from "../text/plain-csv.js";
import { csvReading, csvSql } from "../text/reading-sql.js";
import { ROW_NUMBER, withRowNumbers } from "../text/row-numbers.js";
import { bidSql, takerSql } from "../text/sides.js";
import { isWholeSql } from "../text/whole-numbers.js";
import {
  areStampsSplit,
  MESSAGE,
  MESSAGE_NS,
  type MessageKey,
  messagesSql,
  PLACE,
  splitFindings,
} from "./book-messages.js";
import { numbered, numberSql, type ShapedFile } from "./shape.js";

/**
 * Tardis's downloadable CSV files (docs.tardis.dev, "Downloadable CSV files"): stamps in
 * microseconds, `local_timestamp` from its recorder.
 */
const TIME_NS = "CAST(timestamp AS BIGINT) * 1000";
const RECV_NS = "CAST(local_timestamp AS BIGINT) * 1000";
const STAMPS = `${TIME_NS} AS timeNs, ${RECV_NS} AS recvNs`;

const TYPES = {
  timestamp: "MICROSECONDS",
  local_timestamp: "MICROSECONDS",
  is_snapshot: "BOOLEAN",
};
const DECIMALS = { price: "price", amount: "amount" };

function ofSymbol(symbol: string): string {
  return `WHERE symbol = ${symbol}`;
}

/** `trades`: the side is the taker's. Ids that are not integers are replaced by row numbers. */
export async function tardisTrades(duck: Duck, csv: CsvFile): Promise<ShapedFile> {
  const all = csvSql(csv, TYPES);
  const { strange } = await duck.row(
    `SELECT count(*) FILTER (NOT ${isWholeSql("id")}) AS strange FROM ${all}`,
  );
  const hasIds = toBigInt(strange) === 0n;
  const [first] = hasIds
    ? []
    : await duck.rows(`SELECT CAST(timestamp AS BIGINT) * 1000 AS timeNs FROM ${all} LIMIT 1`);
  const columns = `${hasIds ? "CAST(id AS BIGINT)" : numberSql(first)} AS id, ${STAMPS}, CAST(NULL AS BIGINT) AS seq, price, amount, ${takerSql("side", "side")} AS isBuyerMaker, CAST(NULL AS VARCHAR) AS status`;
  return {
    kind: "trades",
    ...csvReading(csv, TYPES, DECIMALS, (from) => `SELECT ${columns} FROM ${from}`),
    numbered: `SELECT ${columns}, ${ROW_NUMBER} FROM ${withRowNumbers(all)}`,
    ofSymbol,
    symbol: `SELECT DISTINCT symbol FROM ${all}`,
    ...(hasIds ? { findings: [] } : numbered("its ids are not integers")),
  };
}

/**
 * Rows with the same local stamp are one message. The exchange stamps of its levels may differ
 * slightly (docs.tardis.dev, "Data FAQ").
 */
const OF_A_MESSAGE: MessageKey = {
  shared: ["symbol", "is_snapshot"],
  arrival: { column: "local_timestamp", time: "timestamp" },
};

/**
 * `incremental_book_L2`: absolute amounts; the rows of one message share its local stamp. A
 * snapshot of Tardis replaces the whole book, levels behind its last one included.
 */
export async function tardisBook(duck: Duck, csv: CsvFile): Promise<ShapedFile> {
  const isSplit = await areStampsSplit(duck, csvSql(csv, TYPES), OF_A_MESSAGE, TIME_NS);
  const level = `CASE WHEN is_snapshot THEN ${PLACE} + ${WHOLE_FROM_LEVEL} ELSE ${PLACE} END`;
  const columns = `${isSplit ? MESSAGE_NS : TIME_NS} AS timeNs, ${RECV_NS} AS recvNs, ${MESSAGE} AS seq, is_snapshot AS isSnapshot, CAST(NULL AS BIGINT) AS beginSequence, CAST(NULL AS BIGINT) AS endSequence, ${level} AS level, ${bidSql("side", "side")} AS isBid, price, amount`;
  const messages = (from: string): string =>
    messagesSql(from, OF_A_MESSAGE, isSplit ? TIME_NS : undefined);
  return {
    kind: "book",
    isByMessage: true,
    ...csvReading(csv, TYPES, DECIMALS, (from) => `SELECT ${columns} FROM ${messages(from)}`),
    numbered: `SELECT ${columns}, ${ROW_NUMBER} FROM ${messages(csvSql(csv, TYPES))}`,
    ofSymbol,
    symbol: `SELECT DISTINCT symbol FROM ${csvSql(csv, TYPES)}`,
    findings: isSplit ? await splitFindings(duck, csvSql(csv, TYPES), OF_A_MESSAGE, TIME_NS) : [],
  };
}
