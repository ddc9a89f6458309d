import { MarketwrightError, RunError } from "../../core/errors.js";

/** Codes of the system, and what the database says for them. */
const FULL = /^(ENOSPC|EDQUOT)$|No space left on device|Disk quota exceeded/;
const READ_ONLY = /^EROFS$|Read-only file system/;
/** Reading gives these too: they are the disk's only where nobody has said of which file they are. */
const FORBIDDEN = /^(EACCES|EPERM)$/;

/**
 * What an error says of the disk that is written to, and not of what was read: nobody shall throw a good file away because a disk is full.
 * @param folder that is written to.
 * @returns undefined where it says nothing of it
 */
export function toDiskError(error: unknown, folder: string): RunError | undefined {
  const said = errorTexts(error);
  if (said.some((text) => FULL.test(text))) {
    return new RunError("has no room left on its disk", {
      field: folder,
      expected:
        "free space, and the same command again: nothing that is half-written is taken for whole",
      cause: error,
    });
  }
  const isForbidden =
    !(error instanceof MarketwrightError) && said.some((text) => FORBIDDEN.test(text));
  if (!isForbidden && !said.some((text) => READ_ONLY.test(text))) return undefined;
  return new RunError("cannot be written", {
    field: folder,
    expected:
      "a folder that may be written to: imports, and the columns of a day that is replayed for the first time, are put there",
    cause: error,
  });
}

/** Codes and messages of an error and its causes. */
function errorTexts(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const code = "code" in error ? [String(error.code)] : [];
  return [...code, error.message, ...errorTexts(error.cause)];
}
