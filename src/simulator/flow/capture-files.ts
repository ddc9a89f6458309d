import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../../core/errors.js";

/** Where one tag's streams lie; null where the capture has no such stream. */
export interface CaptureFiles {
  readonly books: string;
  readonly trades: string | null;
  readonly mark: string | null;
}

/**
 * Finds the files of one capture: `books/TAG.ndjson.gz`, `trades/TAG.ndjson.gz` or else `trades/TAG.csv.gz`, and
 * `mark/TAG.csv.gz`.
 * @throws ConfigError when the folder or the tag's book file is not there, or the tag is no plain file name.
 */
export function findCaptureFiles(folder: string, tag: string): CaptureFiles {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(tag)) {
    throw new ConfigError("not a capture's tag", { field: "tag", value: tag, expected: "a file name without folder or ending" });
  }
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new ConfigError("no such capture folder", { field: "folder", value: folder, expected: "a folder that holds books/ and trades/" });
  }
  const books = join(folder, "books", `${tag}.ndjson.gz`);
  if (!existsSync(books)) {
    throw new ConfigError("the folder has no books of this capture", { field: "tag", value: tag, expected: `the file ${books}` });
  }
  const firstThat = (...names: string[]): string | null => names.map((name) => join(folder, name)).find((path) => existsSync(path)) ?? null;
  return {
    books,
    trades: firstThat(`trades/${tag}.ndjson.gz`, `trades/${tag}.csv.gz`),
    mark: firstThat(`mark/${tag}.csv.gz`),
  };
}
