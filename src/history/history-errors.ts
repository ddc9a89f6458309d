import { RunError } from "../core/errors.js";

/** A file of the store or of an import that is broken, foreign, or says otherwise than another. `file` is its path. */
export class HistoryError extends RunError {
  readonly file: string;

  constructor(
    file: string,
    summary: string,
    detail: { readonly value?: unknown; readonly expected?: string; readonly cause?: unknown } = {},
  ) {
    super(summary, { field: file, ...detail });
    this.file = file;
  }
}

/** A row of a file that cannot be used. */
export interface BadRow {
  /** Its number among the file's rows, from 1. */
  readonly row: number;
  /** True for a row of a book's snapshot; undefined for other kinds, and where the row cannot be read. */
  readonly isSnapshot?: boolean | undefined;
}

/** The rows that cannot be used: SQL of their numbers among the file's rows as `place`, the rows, or the number of the line of one. */
export type BadRows =
  | { readonly sql: string }
  | { readonly rows: readonly BadRow[] }
  | { readonly line: number };

/** Some rows of a file cannot be used; the others could be without them. */
export class BadRowsError extends HistoryError {
  readonly rows: BadRows;

  constructor(
    file: string,
    summary: string,
    rows: BadRows,
    detail: { value?: unknown; expected: string; cause?: unknown },
  ) {
    super(file, summary, { ...detail, expected: `${detail.expected}; ${DROP_BAD_ROWS_HINT}` });
    this.rows = rows;
  }
}

/** What lets a file in that has some bad rows. */
export const DROP_BAD_ROWS_HINT = "--drop-bad-rows N leaves such rows out";

/** A price or an amount of a file cannot be counted in the caller's steps: by another grid the file may be read. */
export class GridError extends HistoryError {}
