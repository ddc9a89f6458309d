import { MarketwrightError, RunError } from "../../core/errors.js";

/** Codes of the system, and the database's messages for them. */
const FULL = /^(ENOSPC|EDQUOT)$|No space left on device|Disk quota exceeded/;
const READ_ONLY = /^EROFS$|Read-only file system/;
/** Reading gives these too. They concern the store's disk only if the error names no input file. */
const FORBIDDEN = /^(EACCES|EPERM)$/;

/**
 * Converts an error about the disk of the store, so that a user does not discard a good input file
 * because a disk is full.
 * @param folder that is written to.
 * @returns undefined if the error is not about that disk
 */
export function toDiskError(error: unknown, folder: string): RunError | undefined {
  const texts = errorTexts(error);
  if (texts.some((text) => FULL.test(text))) {
    return new RunError("has no room left on its disk", {
      field: folder,
      expected: "free space; then repeat the command: incomplete files are not used",
      cause: error,
    });
  }
  const isForbidden =
    !(error instanceof MarketwrightError) && texts.some((text) => FORBIDDEN.test(text));
  if (!isForbidden && !texts.some((text) => READ_ONLY.test(text))) return undefined;
  return new RunError("cannot be written", {
    field: folder,
    expected: "a writable folder: imports and the first replay of a day write there",
    cause: error,
  });
}

/** Codes and messages of an error and its causes. */
function errorTexts(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const code = "code" in error ? [String(error.code)] : [];
  return [...code, error.message, ...errorTexts(error.cause)];
}
