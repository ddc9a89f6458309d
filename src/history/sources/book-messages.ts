import { identifier } from "../duck.js";

/** A row's message, by the number of its first row in the file, from 1. */
export const MESSAGE = '"number of its message"';
/** A row's place in its message, from 0. */
export const PLACE = '"place in its message"';

/**
 * SQL of a table with the message of each row, for files that have a row a level: rows that follow on each other and say the same in some columns are
 * one message. A snapshot that fell into its rows would leave the last of them alone in the book, as each of them would be a snapshot.
 * @param from SQL of the table, in the file's order
 * @param shared the columns, such as stamps, that all rows of a message have alike
 */
export function messagesSql(from: string, shared: readonly string[]): string {
  const differs = shared.map((name) => `lag(${identifier(name)}) OVER () IS DISTINCT FROM ${identifier(name)}`);
  const rows = `SELECT *, row_number() OVER () AS "number of the row", ${["row_number() OVER () = 1", ...differs].join(" OR ")} AS "begins a message" FROM ${from}`;
  const begun = `SELECT *, max(CASE WHEN "begins a message" THEN "number of the row" END) OVER (ROWS UNBOUNDED PRECEDING) AS ${MESSAGE} FROM (${rows})`;
  return `(SELECT *, "number of the row" - ${MESSAGE} AS ${PLACE} FROM (${begun}))`;
}
