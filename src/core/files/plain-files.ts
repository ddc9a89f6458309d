import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { MarketwrightError } from "../errors.js";

/** A path where a file is expected leads to something that a read or a write may wait on for ever. */
export class NotPlainFileError extends MarketwrightError {
  /** As the file system names a folder, so that both ways of finding one read alike; else `ENOTFILE`. */
  readonly code: "EISDIR" | "ENOTFILE";

  constructor(path: string, found: string) {
    super(`is ${found}`, { field: path, expected: "a plain file" });
    this.code = found === FOLDER ? "EISDIR" : "ENOTFILE";
  }
}

const FOLDER = "a folder";
const { O_APPEND, O_CREAT, O_NONBLOCK, O_RDONLY, O_RDWR, O_TRUNC, O_WRONLY } = constants;

/** The ways of opening a file, as `openSync` names them. */
const FLAGS = {
  r: O_RDONLY,
  "r+": O_RDWR,
  a: O_WRONLY | O_APPEND | O_CREAT,
  "a+": O_RDWR | O_APPEND | O_CREAT,
  w: O_WRONLY | O_TRUNC | O_CREAT,
} as const;

/**
 * Opens a plain file and nothing else. A named pipe without a writer, or a device, would hold the whole process in the call:
 * no signal reaches it there. So the file is opened without waiting and looked at before anything is read.
 * @returns the descriptor
 * @throws NotPlainFile, or what the file system does
 */
export function openPlainFile(path: string, flags: keyof typeof FLAGS, mode?: number): number {
  const file = openWithoutWaiting(path, flags, mode);
  const found = fstatSync(file);
  if (found.isFile()) return file;
  closeSync(file);
  throw new NotPlainFileError(path, kindOf(found));
}

/** The bytes of a plain file. @throws NotPlainFile, or what the file system does */
export function readPlainFile(path: string): Buffer {
  const file = openPlainFile(path, "r");
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** The same as text in UTF-8. */
export function readPlainText(path: string): string {
  return readPlainFile(path).toString("utf8");
}

function openWithoutWaiting(
  path: string,
  flags: keyof typeof FLAGS,
  mode: number | undefined,
): number {
  try {
    return openSync(path, FLAGS[flags] | O_NONBLOCK, mode);
  } catch (error) {
    // Of a pipe that nobody reads, of a socket, and of a device that is not there.
    if (error instanceof Error && "code" in error && error.code === "ENXIO")
      throw new NotPlainFileError(path, "a pipe, a socket or a device");
    throw error;
  }
}

function kindOf(found: Stats): string {
  if (found.isDirectory()) return FOLDER;
  if (found.isFIFO()) return "a named pipe";
  return found.isSocket() ? "a socket" : "a device";
}
