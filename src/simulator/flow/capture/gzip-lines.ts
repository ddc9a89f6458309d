import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { createGunzip } from "node:zlib";
import { FormatError, RunError } from "../../../core/errors.js";

/** Far above the longest line of any known capture (a 1,000-level snapshot is 40 kB). */
const MAX_LINE_CHARS = 16 * 2 ** 20;

/**
 * The lines of a gzipped text file, in batches of one inflated chunk each; memory holds at most a
 * chunk. Empty lines are kept, so that the caller's count is the file's line number. The newline at
 * the end makes no line.
 * @throws RunError when the file cannot be read; FormatError naming file and line when it is not
 * gzip, is damaged, ends early, or has a line of more than 16 million characters.
 */
export async function* readGzipLines(path: string): AsyncGenerator<string[]> {
  const raw = createReadStream(path);
  const text = new StringDecoder("utf8");
  let partial = "";
  let line = 1;
  const inflated = createGunzip();
  // The pipeline reports its outcome as an error of `inflated`, which the loop below throws.
  pipeline(raw, inflated, () => {});
  try {
    for await (const chunk of inflated as AsyncIterable<Buffer>) {
      const lines = (partial + text.write(chunk)).split("\n");
      partial = lines.pop() ?? "";
      line += lines.length;
      if (partial.length > MAX_LINE_CHARS) {
        throw new FormatError("has a line that is too long", {
          field: `${path}:${line}`,
          expected: `lines of at most ${MAX_LINE_CHARS} characters`,
        });
      }
      if (lines.length > 0) yield lines;
    }
  } catch (cause) {
    throw typedReadError(path, line, cause);
  } finally {
    raw.destroy();
    inflated.destroy();
  }
  partial += text.end();
  if (partial !== "") yield [partial];
}

function typedReadError(path: string, line: number, cause: unknown): Error {
  if (cause instanceof FormatError) return cause;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (code.startsWith("Z_")) {
    return new FormatError(
      code === "Z_BUF_ERROR" ? "the gzip file is cut off" : "the gzip file is broken",
      {
        field: `${path}:${line}`,
        expected: "a complete gzip file",
        cause,
      },
    );
  }
  return new RunError("the capture cannot be read", {
    field: path,
    value: code === "" ? String(cause) : code,
    expected: "a readable file",
    cause,
  });
}
