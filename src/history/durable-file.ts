import { createHash } from "node:crypto";
import { closeSync, createReadStream, fsyncSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** Pieces of a file at a time: with small ones the stream costs more than the hash. */
const PIECE_BYTES = 1024 * 1024;

/** The SHA-256 of a file, read as a stream. @throws Error of the system when it cannot be read */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES })) hash.update(piece as Buffer);
  return hash.digest("hex");
}

/** Puts a small text at a path, whole or not at all, whenever the process or the machine ends. */
export function writeWhole(path: string, text: string): void {
  const temporary = `${path}.next`;
  const handle = openSync(temporary, "w", 0o600);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  moveInto(temporary, path);
}

/** Sees to it that a file that another has written is on the disk. */
export function syncFile(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Renames a file, and sees to it that the folder knows. */
export function moveInto(from: string, to: string): void {
  renameSync(from, to);
  syncFile(dirname(to));
}
