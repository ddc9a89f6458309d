import { BadRowsError } from "../../history-errors.js";
import { type Duck, toBigInt } from "../../store/duck.js";
import { csvReading, ndjsonSql } from "../text/reading-sql.js";
import { ROW_NUMBER, withRowNumbers } from "../text/row-numbers.js";
import { brokenChain, brokenText } from "./broken-chain.js";
import { withInterval } from "./candle-interval.js";
import type { FileFormat, ShapedFile, TypedCsv } from "./shape.js";

/** Null in a capture without a `line` field; the row number then takes its place. */
const SEQ = "CAST(line AS BIGINT)";
const JSON_TRADE = {
  id: "ID",
  price: "VARCHAR",
  amount: "VARCHAR",
  time: "MILLISECONDS",
  isBuyerMaker: "BOOLEAN",
  status: "VARCHAR",
  line: "BIGINT",
  recvTimeNs: "BIGINT",
};
const JSON_BOOK = {
  type: "VARCHAR",
  line: "BIGINT",
  ticker_id: "VARCHAR",
  sequence: "BIGINT",
  beginSequence: "BIGINT",
  endSequence: "BIGINT",
  prevEndSequence: "BIGINT",
  timestamp: "MILLISECONDS",
  recvTimeNs: "BIGINT",
  bids: "VARCHAR[][]",
  asks: "VARCHAR[][]",
};

/** Public trades in the exchange's own record, as NDJSON or CSV, with or without local stamps. */
export function tradesShape(path: string, format: FileFormat): ShapedFile {
  const select = (from: string): string =>
    `SELECT CAST(id AS BIGINT) AS id, CAST("time" AS BIGINT) * 1000000 AS timeNs, CAST(recvTimeNs AS BIGINT) AS recvNs, ${SEQ} AS seq, price, amount, CAST(isBuyerMaker AS BOOLEAN) AS isBuyerMaker, status FROM ${from}`;
  const decimals = { price: "price", amount: "amount" };
  return {
    kind: "trades",
    ...readingOf(
      path,
      format,
      { fields: JSON_TRADE, optional: ["line", "recvTimeNs", "status"], decimals },
      select,
    ),
    findings: [],
  };
}

/**
 * Snapshots and updates of a book with absolute amounts: one row per level, and one row for a
 * message without levels.
 */
export async function bookShape(duck: Duck, path: string, file: string): Promise<ShapedFile> {
  const from = ndjsonSql(path, JSON_BOOK);
  const message = `type = 'snapshot' AS isSnapshot, CASE WHEN type = 'snapshot' THEN sequence ELSE beginSequence END AS beginSequence, CASE WHEN type = 'snapshot' THEN sequence ELSE endSequence END AS endSequence`;
  const levels =
    "list_concat(list_transform(coalesce(bids, []), l -> ['1', l[1], l[2]]), list_transform(coalesce(asks, []), l -> ['0', l[1], l[2]]))";
  const selectFrom = (table: string, number = ""): string => {
    const messages = `SELECT "timestamp" * 1000000 AS timeNs, recvTimeNs AS recvNs, coalesce(line, row_number() OVER ()) AS seq, ${message}, ${levels} AS levels${number} FROM ${table}`;
    const head = `timeNs, recvNs, seq, isSnapshot, beginSequence, endSequence${number}`;
    const rows = `SELECT ${head}, unnest(CASE WHEN len(levels) = 0 THEN [NULL] ELSE levels END) AS l, unnest(range(greatest(len(levels), 1))) AS level FROM (${messages})`;
    return `SELECT ${head}, level, l[1] = '1' AS isBid, l[2] AS price, l[3] AS amount FROM (${rows})`;
  };
  const isStrange = "(type NOT IN ('snapshot', 'update') OR type IS NULL)";
  const chain = await duck.row(
    `SELECT count(*) FILTER (${isStrange}) AS strange, count(*) - count(line) AS unplaced, count(*) FILTER (type = 'update') AS updates, count(*) FILTER (type = 'update' AND coalesce(prevEndSequence, beginSequence) IS NULL) AS unchained FROM ${from}`,
  );
  const strange = toBigInt(chain.strange);
  if (strange > 0n) {
    const sql = `SELECT place FROM (SELECT row_number() OVER () AS place, type FROM ${from}) WHERE ${isStrange}`;
    throw new BadRowsError(
      file,
      `${strange} of its messages are neither snapshot nor update`,
      { sql },
      { expected: "type snapshot or update in each message" },
    );
  }
  const { breaks, lost, stretches } = await brokenChain(duck, from);
  return {
    kind: "book",
    select: selectFrom(from),
    numbered: selectFrom(withRowNumbers(from), `, ${ROW_NUMBER}`),
    json: JSON_BOOK,
    isByMessage: toBigInt(chain.unplaced) > 0n,
    symbol: `SELECT DISTINCT ticker_id AS symbol FROM ${from} WHERE ticker_id IS NOT NULL`,
    lost: lost.length === 0 ? undefined : lost,
    chain: stretches,
    messageRows:
      toBigInt(chain.updates) > 0n && toBigInt(chain.unchained) === 0n ? "chained" : "unchained",
    findings: breaks === 0 ? [] : [brokenText(breaks, lost)],
  };
}

/** Best bid and offer. */
export function bboShape(path: string, format: FileFormat): ShapedFile {
  const select = (from: string): string =>
    `SELECT CAST("time" AS BIGINT) * 1000000 AS timeNs, CAST(recvTimeNs AS BIGINT) AS recvNs, ${SEQ} AS seq, bid, bidAmount, ask, askAmount FROM ${from}`;
  const table = {
    fields: {
      time: "MILLISECONDS",
      bid: "VARCHAR",
      bidAmount: "VARCHAR",
      ask: "VARCHAR",
      askAmount: "VARCHAR",
      line: "BIGINT",
      recvTimeNs: "BIGINT",
    },
    optional: ["line", "recvTimeNs"],
    decimals: { bid: "bid", bidAmount: "bidAmount", ask: "ask", askAmount: "askAmount" },
  };
  return { kind: "bbo", ...readingOf(path, format, table, select), findings: [] };
}

/** Mark price, index price and live funding rate. */
export function marksShape(path: string, format: FileFormat): ShapedFile {
  const select = (from: string): string =>
    `SELECT CAST("time" AS BIGINT) * 1000000 AS timeNs, CAST(recvTimeNs AS BIGINT) AS recvNs, ${SEQ} AS seq, markPrice AS mark, indexPrice AS "index", fundingRate, CAST(nextFundingTime AS BIGINT) AS nextFundingMs FROM ${from}`;
  const table = {
    fields: {
      time: "MILLISECONDS",
      markPrice: "VARCHAR",
      indexPrice: "VARCHAR",
      fundingRate: "VARCHAR",
      nextFundingTime: "BIGINT",
      line: "BIGINT",
      recvTimeNs: "BIGINT",
    },
    optional: ["line", "recvTimeNs", "indexPrice", "fundingRate", "nextFundingTime"],
    decimals: { markPrice: "mark", indexPrice: "index", fundingRate: "fundingRate" },
  };
  return { kind: "marks", ...readingOf(path, format, table, select), findings: [] };
}

/**
 * Candles, stamped with their start.
 * @param kind `klines-1H`, or only the family if the data show the interval
 */
export async function klinesShape(
  duck: Duck,
  path: string,
  format: FileFormat,
  kind: string,
  file: string,
): Promise<ShapedFile | undefined> {
  const fields = {
    time: "MILLISECONDS",
    open: "VARCHAR",
    high: "VARCHAR",
    low: "VARCHAR",
    close: "VARCHAR",
    volume: "VARCHAR",
  };
  const from = tableSql(path, format, { fields, optional: [] });
  const select = `SELECT CAST("time" AS BIGINT) * 1000000 AS timeNs, open, high, low, close, volume FROM ${from}`;
  const shaped = await withInterval(duck, { select, file }, kind);
  return shaped === undefined || format.format !== "ndjson" ? shaped : { ...shaped, json: fields };
}

/** Past funding rates. */
export function fundingShape(path: string, format: FileFormat): ShapedFile {
  const fields = { marketId: "VARCHAR", fundingRate: "VARCHAR", fundingTime: "MILLISECONDS" };
  const from = tableSql(path, format, { fields, optional: ["marketId"] });
  return {
    kind: "funding",
    select: `SELECT CAST(fundingTime AS BIGINT) * 1000000 AS timeNs, fundingRate AS rate FROM ${from}`,
    json: format.format === "ndjson" ? fields : undefined,
    symbol: `SELECT DISTINCT marketId AS symbol FROM ${from} WHERE marketId IS NOT NULL`,
    findings: [],
  };
}

/**
 * The fields of a file: their types, those that a CSV file may lack, and our names of the decimal
 * ones.
 */
interface Table {
  readonly fields: Readonly<Record<string, string>>;
  readonly optional: readonly string[];
  readonly decimals?: TypedCsv["decimals"];
}

/** The SQL that reads a file as a table. Columns that a CSV file lacks are null. */
function readingOf(
  path: string,
  format: FileFormat,
  { fields, optional, decimals = {} }: Table,
  select: (from: string) => string,
): Pick<ShapedFile, "select" | "csv" | "json"> {
  if (format.format !== "csv") return { select: select(ndjsonSql(path, fields)), json: fields };
  const lacking = optional
    .filter((name) => !format.columns.includes(name))
    .map((name) => `NULL AS ${name}`);
  return csvReading({ ...format, path }, fields, decimals, (from) =>
    select(`(SELECT ${["*", ...lacking].join(", ")} FROM ${from})`),
  );
}

function tableSql(path: string, format: FileFormat, table: Table): string {
  return readingOf(path, format, table, (from) => from).select;
}
