/** A row's number among the rows of its file, from 1. */
export const ROW_NUMBER = '"number of the row"';

/**
 * SQL of a table, in the file's order, with the number of each row. It is slower, since one thread
 * has to count.
 */
export function withRowNumbers(from: string): string {
  return `(SELECT *, row_number() OVER () AS ${ROW_NUMBER} FROM ${from})`;
}
