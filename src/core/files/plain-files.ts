import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { MarketwrightError } from "../errors.js";

/** A path that should be a file leads to something on which a read or a write may block forever. */
export class NotPlainFileError extends MarketwrightError {
  /**
   * For a folder, the file system's own code, so that both ways of detecting one look alike;
   * otherwise `ENOTFILE`.
   */
  readonly code: "EISDIR" | "ENOTFILE";

  constructor(path: string, found: string) {
    super(`is ${found}`, { field: path, expected: "a plain file" });
    this.code = found === FOLDER ? "EISDIR" : "ENOTFILE";
  }
}

const FOLDER = "a folder";
const { O_APPEND, O_CREAT, O_NONBLOCK, O_RDONLY, O_RDWR, O_TRUNC, O_WRONLY } = constants;

/** Open flags, as `openSync` names them. */
const FLAGS = {
  r: O_RDONLY,
  "r+": O_RDWR,
  a: O_WRONLY | O_APPEND | O_CREAT,
  "a+": O_RDWR | O_APPEND | O_CREAT,
  w: O_WRONLY | O_TRUNC | O_CREAT,
} as const;

/**
 * Opens a plain file and nothing else. A named pipe without a writer, or a device, would block the
 * whole process in the call, out of reach of signals. So the file is opened without blocking, and
 * checked before anything is read.
 * @returns the descriptor
 * @throws NotPlainFileError, or errors of the file system
 */
export function openPlainFile(path: string, flags: keyof typeof FLAGS, mode?: number): number {
  const file = openWithoutWaiting(path, flags, mode);
  const found = fstatSync(file);
  if (found.isFile()) return file;
  closeSync(file);
  throw new NotPlainFileError(path, kindOf(found));
}

/** Reads the bytes of a plain file. @throws NotPlainFileError, or errors of the file system */
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
    // A pipe without a reader, a socket, or a device that does not exist.
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
