import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { createGunzip } from "node:zlib";
import { ConfigError, RunError } from "../../core/errors.js";

const JOURNAL_FILE = "a file that marketwright run --journal wrote";

const WRONG_PATHS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  ENOTDIR: "does not exist",
  ENAMETOOLONG: "does not exist",
  EISDIR: "is a folder, not a file",
  EACCES: "may not be read by this user",
  EPERM: "may not be read by this user",
};

/** One line of a file. */
export interface FileLine {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
  /** False for a last line without a line feed: its writer may have died while writing it. */
  readonly whole: boolean;
}

/** The lines of a journal, from a file or from memory. */
export type JournalLines = AsyncIterable<FileLine> | Iterable<FileLine>;

/**
 * Reads a file line by line, without ever holding more than a line and a piece of it.
 * @param isZipped true for a file of concatenated gzip members.
 * @throws ConfigError if there is no file that this user may read, RunError if reading fails.
 */
export async function* readFileLines(path: string, isZipped = false): AsyncGenerator<FileLine> {
  const decoder = new StringDecoder("utf8");
  let pieces: string[] = [];
  let number = 0;
  const file = createReadStream(path, { highWaterMark: 256 * 1024 });
  try {
    // The reader at the end of a pipeline receives the errors of all its parts.
    for await (const chunk of isZipped ? pipeline(file, createGunzip(), () => {}) : file) {
      const text = decoder.write(chunk as Buffer);
      let from = 0;
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
        pieces.push(text.slice(from, end));
        from = end + 1;
        yield { number: ++number, text: pieces.join(""), whole: true };
        pieces = [];
      }
      pieces.push(text.slice(from));
    }
  } catch (cause) {
    if (!isFileError(cause)) throw cause;
    throw cannotRead(path, cause);
  }
  const rest = pieces.join("") + decoder.end();
  if (rest !== "") yield { number: ++number, text: rest, whole: false };
}

/** A path without a file is wrong usage; a disk that fails is not. */
function cannotRead(
  path: string,
  cause: Error & { readonly code: string },
): ConfigError | RunError {
  const why = WRONG_PATHS[cause.code];
  if (why !== undefined)
    return new ConfigError(why, { field: "journal", value: path, expected: JOURNAL_FILE, cause });
  return new RunError(`cannot be read (${cause.code})`, {
    field: "journal",
    value: path,
    expected: "a file that this user may read",
    cause,
  });
}

/** An error of the system, or of the content of a zipped file. */
function isFileError(cause: unknown): cause is Error & { readonly code: string } {
  return (
    cause instanceof Error &&
    "code" in cause &&
    typeof cause.code === "string" &&
    ("syscall" in cause || cause.code.startsWith("Z_"))
  );
}
