import { type Duck, identifier } from "../duck.js";

/** A row's message, by the number of its first row in the file, from 1. */
export const MESSAGE = '"number of its message"';
/** A row's place in its message, from 0. */
export const PLACE = '"place in its message"';

/** When a row's message was at the exchange, in nanoseconds: the latest stamp of its rows, before which nobody could have told them together. */
export const MESSAGE_NS = '"stamp of its message"';

/** What an import says of messages whose rows have several. */
export const SPLIT_STAMPS =
  "some messages have rows of several exchange stamps and one local stamp: the latest stands for all rows of the message";

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
 * @param timeNs SQL of a row's stamp; then the table has {@link MESSAGE_NS} too.
 */
export function messagesSql(from: string, { shared, arrival }: MessageKey, timeNs?: string): string {
  const differs = shared.map(differsSql);
  if (arrival !== undefined)
    differs.push(differsSql(arrival.column), `(${identifier(arrival.column)} IS NULL AND ${differsSql(arrival.time)})`);
  const rows = `SELECT *, row_number() OVER () AS "number of the row", ${["row_number() OVER () = 1", ...differs].join(" OR ")} AS "begins a message" FROM ${from}`;
  const begun = `SELECT *, max(CASE WHEN "begins a message" THEN "number of the row" END) OVER (ROWS UNBOUNDED PRECEDING) AS ${MESSAGE} FROM (${rows})`;
  const placed = `(SELECT *, "number of the row" - ${MESSAGE} AS ${PLACE} FROM (${begun}))`;
  if (timeNs === undefined) return placed;
  return `(SELECT * FROM (SELECT *, max(${timeNs}) OVER (PARTITION BY ${MESSAGE}) AS ${MESSAGE_NS} FROM ${placed}) ORDER BY "number of the row")`;
}

/** Whether rows of one message have other exchange stamps than its first. Mostly none has, and a look costs less than sorting all rows by their messages. */
export async function areStampsSplit(duck: Duck, from: string, key: MessageKey, timeNs: string): Promise<boolean> {
  const before = `SELECT ${PLACE} AS place, ${timeNs} AS ns, lag(${timeNs}) OVER () AS before FROM ${messagesSql(from, key)}`;
  return (await duck.rows(`SELECT 1 AS split FROM (${before}) WHERE place > 0 AND ns <> before LIMIT 1`)).length > 0;
}

function differsSql(name: string): string {
  return `lag(${identifier(name)}) OVER () IS DISTINCT FROM ${identifier(name)}`;
}
