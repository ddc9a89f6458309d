import { closeSync, openSync, readSync, realpathSync, renameSync } from "node:fs";
import { ConfigError } from "../../core/errors.js";
import { pathKind } from "../../core/path-kind.js";

/** How the first line of every journal begins. */
const BEGINNING = '{"journal":';

/**
 * Moves the journal that an earlier run left at a path to the first free name after it, `run.journal.1` and so on: whatever starts a bot again by the same
 * command must not take away what tells how the last one ended.
 * @returns where it is now; undefined where there is none: nothing, an empty file, a pipe.
 * @throws ConfigError for a file that is no journal, which may be anything, a keystore too; what the file system throws.
 */
export function keepEarlierJournal(path: string): string | undefined {
  if (pathKind(path) !== "file") return undefined;
  const beginning = beginningOf(path);
  if (beginning === "") return undefined;
  if (beginning !== BEGINNING) {
    throw new ConfigError("is there already, and no journal", {
      field: "--journal",
      value: path,
      expected: "the path of a new file, or of an earlier run's journal, which is kept beside it",
    });
  }
  // A link goes on leading to where its owner wants the journals.
  const journal = realpathSync(path);
  for (let number = 1; ; number++) {
    const kept = `${journal}.${number}`;
    if (pathKind(kept) !== undefined) continue;
    renameSync(journal, kept);
    return kept;
  }
}

function beginningOf(path: string): string {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(BEGINNING.length);
    return bytes.toString("latin1", 0, readSync(file, bytes));
  } finally {
    closeSync(file);
  }
}
