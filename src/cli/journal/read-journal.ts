import { ConfigError, FormatError } from "../../core/errors.js";

/**
 * Runs what reads a journal. A file that is not a journal is wrong usage, not a failure of the
 * replay.
 * @param field the argument or option that names the file
 * @throws ConfigError naming the file and its line
 */
export async function readJournal<T>(
  field: string,
  journal: string,
  replay: () => Promise<T>,
): Promise<T> {
  try {
    return await replay();
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause;
    throw new ConfigError("cannot be replayed", {
      field,
      value: journal,
      expected: `a file that marketwright run --journal wrote: ${cause.message}`,
      cause,
    });
  }
}
