import { createHash } from "node:crypto";
import { closeSync, createReadStream, fsyncSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";

/** The SHA-256 of a file, read as a stream. @throws Error of the system when it cannot be read */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
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
