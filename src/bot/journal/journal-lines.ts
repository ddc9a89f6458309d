import { createReadStream } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { RunError } from "../../core/errors.js";

/** One line of a file. */
export interface FileLine {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
  /** False of a last line that no line feed ends: whoever wrote it may have died over it. */
  readonly whole: boolean;
}

/**
 * Reads a file line by line, without ever holding more than a line and a piece of it.
 * @throws RunError when it cannot be read.
 */
export async function* fileLines(path: string): AsyncGenerator<FileLine> {
  const decoder = new StringDecoder("utf8");
  let pieces: string[] = [];
  let number = 0;
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) {
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
    if (!isSystemError(cause)) throw cause;
    throw new RunError(`cannot read the file (${cause.code})`, {
      field: "file",
      value: path,
      expected: "a file that this user may read",
      cause,
    });
  }
  const rest = pieces.join("") + decoder.end();
  if (rest !== "") yield { number: ++number, text: rest, whole: false };
}

function isSystemError(cause: unknown): cause is Error & { readonly code: string } {
  return cause instanceof Error && "syscall" in cause && "code" in cause && typeof cause.code === "string";
}
