import { type Duck, identifier } from "../../store/duck.js";
import { ROW_NUMBER } from "../text/row-numbers.js";

/** A row's message, by the number of its first row in the file, from 1. */
export const MESSAGE = '"number of its message"';
/** A row's place in its message, from 0. */
export const PLACE = '"place in its message"';

/** When a row's message was at the exchange, in nanoseconds: the latest stamp of its rows, before which nobody could have told them together. */
export const MESSAGE_NS = '"stamp of its message"';

/** What an import says of messages whose rows have several. */
const SPLIT_STAMPS =
  "some messages have rows of several exchange stamps and one local stamp: the latest stands for all rows of the message";

/** Rows of one local stamp are several messages where their exchange stamps lie further apart: after a stall all that waited is heard at once. */
const MESSAGE_LASTS_NS = 50_000_000;

/** What tells the rows of one message of a book from those of the next. */
export interface MessageKey {
  /** The columns, such as stamps, that all rows of a message have alike. */
  readonly shared: readonly string[];
  /** A local stamp, which is one where a message is one, and the column of the exchange's stamp, which counts where a row has no local one. */
  readonly arrival?: { readonly column: string; readonly time: string } | undefined;
}

/**
 * SQL of a table with the message of each row, for files that have a row a level: rows that follow on each other and say the same in some columns are
 * one message. A snapshot that fell into its rows would leave the last of them alone in the book, as each of them would be a snapshot.
 * @param from SQL of the table, in the file's order
 * @param timeNs SQL of a row's stamp, where those of one message may differ: they do by {@link MESSAGE_LASTS_NS} at most. Then the table has
 * {@link MESSAGE_NS} too.
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
  const heard = `SELECT *, ${lasts} > ${MESSAGE_LASTS_NS} AS "is several" FROM ${placedSql(rows)}`;
  const others = `"is several" AND lag(${timeNs}) OVER (ORDER BY ${ROW_NUMBER}) <> ${timeNs}`;
  const apart = `SELECT * EXCLUDE (${MESSAGE}, ${PLACE}, "begins a message", "is several"), "begins a message" OR (${others}) AS "begins a message" FROM (${heard})`;
  const told = `SELECT *, max(${timeNs}) OVER (PARTITION BY ${MESSAGE}) AS ${MESSAGE_NS} FROM ${placedSql(apart, `ORDER BY ${ROW_NUMBER} `)}`;
  return `(SELECT * FROM (${told}) ORDER BY ${ROW_NUMBER})`;
}

/**
 * SQL of rows with the message and the place that they have.
 * @param rows SQL of rows of which it is known whether each begins a message
 * @param order how to put them into the file's order, where they are not
 */
function placedSql(rows: string, order = ""): string {
  const begun = `SELECT *, max(CASE WHEN "begins a message" THEN ${ROW_NUMBER} END) OVER (${order}ROWS UNBOUNDED PRECEDING) AS ${MESSAGE} FROM (${rows})`;
  return `(SELECT *, ${ROW_NUMBER} - ${MESSAGE} AS ${PLACE} FROM (${begun}))`;
}

/** Whether rows of one local stamp have other exchange stamps than its first. Mostly none has, and a look costs less than sorting all rows by their messages. */
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

/** What an import says of messages whose rows have several exchange stamps, of a file in which {@link areStampsSplit}. */
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
