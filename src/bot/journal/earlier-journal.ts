import { closeSync, constants, copyFileSync, readSync, realpathSync, renameSync } from "node:fs";
import { ConfigError } from "../../core/errors.js";
import { pathKind } from "../../core/files/path-kind.js";
import { openPlainFile } from "../../core/files/plain-files.js";

/** How the first line of every journal begins. */
const BEGINNING = '{"journal":';

/**
 * Moves the journal that an earlier run left at a path to the first free name after it, `run.journal.1` and so on: whatever starts a bot again by the same
 * command must not take away what tells how the last one ended.
 * @returns where it is now; undefined where there is none: nothing, an empty file, a pipe.
 * @throws ConfigError for a file that is no journal, which may be anything, a keystore too, and for a journal that cannot be kept; what the file system
 * throws.
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
    move(journal, kept);
    return kept;
  }
}

function move(journal: string, kept: string): void {
  try {
    renameSync(journal, kept);
  } catch {
    // A file that is mounted by itself, as into a container, cannot be moved: the bot is started again all the same.
    copy(journal, kept);
  }
}

function copy(journal: string, kept: string): void {
  try {
    copyFileSync(journal, kept, constants.COPYFILE_EXCL);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    throw new ConfigError(`is an earlier run's journal, and cannot be kept as ${kept} (${code})`, {
      field: "--journal",
      value: journal,
      expected:
        "the path of a new file, or of a journal in a folder with room where this user may make another",
      cause,
    });
  }
}

function beginningOf(path: string): string {
  const file = openPlainFile(path, "r");
  try {
    const bytes = Buffer.alloc(BEGINNING.length);
    return bytes.toString("latin1", 0, readSync(file, bytes));
  } finally {
    closeSync(file);
  }
}
