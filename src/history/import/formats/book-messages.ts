import { type Duck, identifier } from "../../store/duck.js";
import { ROW_NUMBER } from "../text/row-numbers.js";

/** The message of a row, by the number of its first row in the file, from 1. */
export const MESSAGE = '"number of its message"';
/** The index of a row in its message, from 0. */
export const PLACE = '"place in its message"';

/**
 * The exchange time of a row's message, in nanoseconds: the latest stamp of its rows. The exchange
 * cannot have sent them together before that.
 */
export const MESSAGE_NS = '"stamp of its message"';

/** The finding for messages whose rows have several exchange stamps. */
const SPLIT_STAMPS =
  "some messages have rows with several exchange times but one local time: the latest exchange time is used for all rows of the message";

/**
 * Rows of one local stamp are several messages if their exchange stamps lie further apart. After a
 * stall the recorder receives all waiting messages at once.
 */
const MESSAGE_LASTS_NS = 50_000_000;

/** The columns that separate the rows of one book message from those of the next. */
export interface MessageKey {
  /** The columns, such as stamps, that are equal in all rows of a message. */
  readonly shared: readonly string[];
  /**
   * A local stamp that all rows of a message share, and the exchange stamp column, which replaces
   * it in rows without a local stamp.
   */
  readonly arrival?: { readonly column: string; readonly time: string } | undefined;
}

/**
 * SQL of a table with the message of each row, for files with one row per level. Consecutive rows
 * that are equal in the key columns are one message. If each row of a snapshot counted as a
 * snapshot, only the last of its levels would remain in the book.
 * @param from SQL of the table, in the file's order
 * @param timeNs SQL of a row's stamp, if stamps within a message may differ, by {@link
 * MESSAGE_LASTS_NS} at most. The table then has {@link MESSAGE_NS} too.
 * @returns SQL of the table with {@link ROW_NUMBER} too
 */
export function messagesSql(
  from: string,
  { shared, arrival }: MessageKey,
  timeNs?: string,
): string {
  const differs = shared.map(differsSql);
  if (arrival !== undefined)
    differs.push(
      differsSql(arrival.column),
      `(${identifier(arrival.column)} IS NULL AND ${differsSql(arrival.time)})`,
    );
  const rows = `SELECT *, row_number() OVER () AS ${ROW_NUMBER}, ${["row_number() OVER () = 1", ...differs].join(" OR ")} AS "begins a message" FROM ${from}`;
  if (timeNs === undefined) return placedSql(rows);
  const lasts = `max(${timeNs}) OVER (PARTITION BY ${MESSAGE}) - min(${timeNs}) OVER (PARTITION BY ${MESSAGE})`;
  const timed = `SELECT *, ${lasts} > ${MESSAGE_LASTS_NS} AS "is several" FROM ${placedSql(rows)}`;
  const others = `"is several" AND lag(${timeNs}) OVER (ORDER BY ${ROW_NUMBER}) <> ${timeNs}`;
  const apart = `SELECT * EXCLUDE (${MESSAGE}, ${PLACE}, "begins a message", "is several"), "begins a message" OR (${others}) AS "begins a message" FROM (${timed})`;
  const messages = `SELECT *, max(${timeNs}) OVER (PARTITION BY ${MESSAGE}) AS ${MESSAGE_NS} FROM ${placedSql(apart, `ORDER BY ${ROW_NUMBER} `)}`;
  return `(SELECT * FROM (${messages}) ORDER BY ${ROW_NUMBER})`;
}

/**
 * SQL of rows with their message and index.
 * @param rows SQL of rows with a flag that each begins a message
 * @param order SQL that restores the file's order, if needed
 */
function placedSql(rows: string, order = ""): string {
  const begun = `SELECT *, max(CASE WHEN "begins a message" THEN ${ROW_NUMBER} END) OVER (${order}ROWS UNBOUNDED PRECEDING) AS ${MESSAGE} FROM (${rows})`;
  return `(SELECT *, ${ROW_NUMBER} - ${MESSAGE} AS ${PLACE} FROM (${begun}))`;
}

/**
 * True if rows of one local stamp have other exchange stamps than its first row. Most files have
 * none, and this check costs less than sorting all rows by message.
 */
export async function areStampsSplit(
  duck: Duck,
  from: string,
  key: MessageKey,
  timeNs: string,
): Promise<boolean> {
  const before = `SELECT ${PLACE} AS place, ${timeNs} AS ns, lag(${timeNs}) OVER () AS before FROM ${messagesSql(from, key)}`;
  return (
    (await duck.rows(`SELECT 1 AS split FROM (${before}) WHERE place > 0 AND ns <> before LIMIT 1`))
      .length > 0
  );
}

/** The finding for a file in which {@link areStampsSplit} is true. */
export async function splitFindings(
  duck: Duck,
  from: string,
  key: MessageKey,
  timeNs: string,
): Promise<string[]> {
  const differ = `SELECT 1 AS split FROM ${messagesSql(from, key, timeNs)} WHERE ${MESSAGE_NS} <> ${timeNs} LIMIT 1`;
  return (await duck.rows(differ)).length > 0 ? [SPLIT_STAMPS] : [];
}

function differsSql(name: string): string {
  return `lag(${identifier(name)}) OVER () IS DISTINCT FROM ${identifier(name)}`;
}
