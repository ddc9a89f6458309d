import { RunError } from "../../core/errors.js";

/**
 * Runs a write that the disk may refuse.
 * @throws RunError naming the path, where it does: that is not a fault of the program
 */
export function wrapDiskError<Value>(path: string, write: () => Value): Value {
  try {
    return write();
  } catch (cause) {
    if (!(cause instanceof Error) || !("code" in cause)) throw cause;
    throw new RunError(`cannot be written: ${cause.message}`, {
      field: path,
      expected: "a writable disk with free space",
      cause,
    });
  }
}
