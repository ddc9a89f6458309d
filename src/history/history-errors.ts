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

/** A price or an amount of a file cannot be counted in the caller's steps: by another grid the file may be read. */
export class GridError extends HistoryError {}
