import { existsSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { RunError } from "../../core/errors.js";
import { syncPath } from "../../core/files/atomic-file.js";
import { makeFolder } from "../../core/files/make-folder.js";

/** Files that were moved out of the way. */
export interface SetAside {
  /** Their present folder in the state directory. */
  readonly folder: string;
  readonly names: readonly string[];
}

/**
 * Moves the existing ones of these files into a folder of the same directory, or into one of a
 * similar name if a file has that name already.
 * @throws RunError if one cannot be moved.
 */
export function setFilesAside(
  directory: string,
  wanted: string,
  names: readonly string[],
): SetAside {
  const there = names.filter((name) => existsSync(join(directory, name)));
  let folder = wanted;
  for (let n = 2; there.some((name) => existsSync(join(directory, folder, name))); n++)
    folder = `${wanted}.${n}`;
  move(there, directory, join(directory, folder));
  return { folder, names: there };
}

/**
 * Moves the files of such a folder back, but never over another file; returns their names.
 * @throws RunError if one cannot be moved.
 */
export function takeFilesBack(directory: string, folder: string): readonly string[] {
  const aside = join(directory, folder);
  const names = existsSync(aside)
    ? readdirSync(aside).filter((name) => !existsSync(join(directory, name)))
    : [];
  move(names, aside, directory);
  return names;
}

function move(names: readonly string[], from: string, to: string): void {
  if (names.length === 0) return;
  try {
    makeFolder(to);
    for (const name of names) renameSync(join(from, name), join(to, name));
    for (const folder of [to, from]) syncPath(folder);
  } catch (cause) {
    throw new RunError(
      `cannot move ${names.join(", ")} to ${to} (${cause instanceof Error ? cause.message : String(cause)})`,
      {
        field: "stateDir",
        value: from,
        expected: "a folder that this user may write, on a disk with room",
        cause,
      },
    );
  }
}
