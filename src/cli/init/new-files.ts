import { accessSync, constants, renameSync, rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import { ConfigError, RunError } from "../../core/errors.js";
import { writeNewFile } from "../../core/files/atomic-file.js";
import { readPathKind } from "../../core/files/path-kind.js";
import { readPlainText } from "../../core/files/plain-files.js";

/** A file to write. */
export interface NewFile {
  readonly path: string;
  readonly text: string;
}

/** A replaced file, and where it is now. */
export interface ReplacedFile {
  readonly path: string;
  readonly keptAs: string;
}

/**
 * Checks that a bot's file can be written, before anything is asked.
 * @throws ConfigError if the name or the folder is wrong, or the file exists
 */
export function checkNewBotFile(path: string, written: string, force: boolean): void {
  const field = "file";
  if (!/\.ya?ml$/.test(path))
    throw new ConfigError("is not the name of a YAML file", {
      field,
      value: written,
      expected: "a name that ends in .yaml",
    });
  const folder = dirname(path);
  const kind = readPathKind(folder);
  if (kind !== "folder")
    throw new ConfigError(
      kind === undefined ? "is in a folder that does not exist" : "is below a file",
      { field, value: written, expected: `a folder at ${folder}` },
    );
  try {
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    throw new RunError("is in a folder that this user may not write", {
      field,
      value: written,
      expected: `a folder to write, unlike ${folder}`,
      cause,
    });
  }
  refuseExisting(path, force);
}

function refuseExisting(path: string, force: boolean): void {
  const kind = readPathKind(path);
  if (kind === undefined || (kind === "file" && force)) return;
  throw new ConfigError(kind === "file" ? "exists already" : "exists and is not a file", {
    field: "file",
    value: path,
    expected:
      kind === "file"
        ? `another name, or --force, which keeps the old file as ${basename(freeName(path))}`
        : "another name",
  });
}

/**
 * Writes all files, or none. A file with the same text stays.
 * @param check throws if the written files are not valid
 * @returns the files that were replaced
 * @throws ConfigError for an existing file without `force`; RunError if the disk refuses; the error
 * of `check`
 */
export function writeNewFiles(
  files: readonly NewFile[],
  { force, check }: { readonly force: boolean; readonly check: () => void },
): readonly ReplacedFile[] {
  const changed = files.filter(({ path, text }) => !holds(path, text));
  for (const { path } of changed) refuseExisting(path, force);
  const replaced: ReplacedFile[] = [];
  const made: string[] = [];
  try {
    for (const { path, text } of changed) {
      if (readPathKind(path) !== undefined) {
        const keptAs = freeName(path);
        renameSync(path, keptAs);
        replaced.push({ path, keptAs });
      }
      writeNewFile(path, text);
      made.push(path);
    }
    check();
    return replaced;
  } catch (error) {
    for (const path of made) rmSync(path, { force: true });
    for (const { path, keptAs } of replaced) renameSync(keptAs, path);
    throw toDiskError(error);
  }
}

function holds(path: string, text: string): boolean {
  return readPathKind(path) === "file" && readPlainText(path) === text;
}

/** The first name for an old file that is free: `bot.yaml.old`, `bot.yaml.old2`. */
function freeName(path: string): string {
  for (let count = 1; ; count++) {
    const name = `${path}.old${count === 1 ? "" : count}`;
    if (readPathKind(name) === undefined) return name;
  }
}

function toDiskError(error: unknown): unknown {
  const { code, path } = error as { readonly code?: unknown; readonly path?: unknown };
  if (!(error instanceof Error) || typeof code !== "string" || typeof path !== "string")
    return error;
  return new RunError(`cannot be written (${code})`, {
    field: "file",
    value: path,
    expected: "a path on a disk with room, that nothing else uses",
    cause: error,
  });
}
