import { readdirSync } from "node:fs";
import { join } from "node:path";
import { findNearestName } from "../../../core/config/find-nearest-name.js";
import { ConfigError } from "../../../core/errors.js";
import { readPathKind } from "../../../core/files/path-kind.js";

/** The files of one tag's streams; null for a missing stream. */
export interface CaptureFiles {
  readonly books: string;
  readonly trades: string | null;
  readonly mark: string | null;
}

const BOOK_ENDING = ".ndjson.gz";
/** The maximum number of tags that a message lists. */
const MOST_NAMED = 8;

/** The place where a capture's folder and tag are written, for errors. */
export interface CapturePlace {
  /** `["markets", "btcusdc", "flow"]`. */
  readonly at?: readonly (string | number)[];
  /** True if the user has not written the folder. */
  readonly folderIsDefault?: boolean;
}

/**
 * Finds the files of one capture: `books/TAG.ndjson.gz`, `trades/TAG.ndjson.gz` or else
 * `trades/TAG.csv.gz`, and `mark/TAG.csv.gz`.
 * @throws ConfigError when the folder or the tag's book file is missing, or the tag is not a plain
 * file name.
 */
export function findCaptureFiles(
  folder: string,
  tag: string,
  { at = [], folderIsDefault = false }: CapturePlace = {},
): CaptureFiles {
  const field = (name: string): string => [...at, name].join(".");
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(tag)) {
    throw new ConfigError("is not a valid name for a capture", {
      field: field("tag"),
      value: tag,
      expected: "a file name without folder or extension",
    });
  }
  if (readPathKind(join(folder, "books")) !== "folder") {
    const kind = readPathKind(folder);
    const why =
      kind === undefined
        ? "does not exist"
        : kind === "folder"
          ? "has no books/"
          : "is not a folder";
    throw folderIsDefault
      ? new ConfigError(`cannot be found: the default folder ${folder} ${why}`, {
          field: field("tag"),
          value: tag,
          expected:
            "MARKETWRIGHT_DATA in the environment, or folder beside tag, with the path of a folder that has books/ and trades/",
        })
      : new ConfigError(why, {
          field: field("folder"),
          value: folder,
          expected: "a folder that has books/ and trades/",
        });
  }
  const books = join(folder, "books", `${tag}${BOOK_ENDING}`);
  if (readPathKind(books) !== "file") throw unknownTag(folder, tag, field("tag"));
  const firstThat = (...names: string[]): string | null =>
    names.map((name) => join(folder, name)).find((path) => readPathKind(path) === "file") ?? null;
  return {
    books,
    trades: firstThat(`trades/${tag}.ndjson.gz`, `trades/${tag}.csv.gz`),
    mark: firstThat(`mark/${tag}.csv.gz`),
  };
}

function unknownTag(folder: string, tag: string, field: string): ConfigError {
  const known = readdirSync(join(folder, "books"))
    .filter((name) => name.endsWith(BOOK_ENDING))
    .map((name) => name.slice(0, -BOOK_ENDING.length))
    .sort();
  const near = findNearestName(tag, known);
  const named = known.slice(0, MOST_NAMED).join(", ") + (known.length > MOST_NAMED ? " ..." : "");
  return new ConfigError(
    `is not a capture in this folder${near === undefined ? "" : `, did you mean ${near}?`}`,
    {
      field,
      value: tag,
      expected: `the file ${join(folder, "books", `${tag}${BOOK_ENDING}`)}${known.length === 0 ? "" : `, or one of the tags ${named}`}`,
    },
  );
}
