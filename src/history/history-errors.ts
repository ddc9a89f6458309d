import { RunError } from "../core/errors.js";

/**
 * A file of the store or of an import that is broken, foreign or contradicts another. `file` is its
 * path.
 */
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
  /** True for a row of a book's snapshot; undefined for other kinds and for unreadable rows. */
  readonly isSnapshot?: boolean | undefined;
}

/**
 * The unusable rows: SQL of their row numbers as `place`, the rows themselves, or one line number.
 */
export type BadRows =
  | { readonly sql: string }
  | { readonly rows: readonly BadRow[] }
  | { readonly line: number };

/** Some rows of a file cannot be used; the file could be imported without them. */
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

/** The option that imports a file with some bad rows. */
export const DROP_BAD_ROWS_HINT = "--drop-bad-rows N skips up to N such rows";

/**
 * A price or an amount of a file is not a multiple of the caller's steps. Another grid may fit the
 * file.
 */
export class GridError extends HistoryError {}
