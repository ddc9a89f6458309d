import { createHash } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";

/** Of a file at a time. */
const PIECE_BYTES = 1024 * 1024;

/** The SHA-256 of a file, read piece by piece into one buffer: a stream takes a new one each, which costs half as much as the hash. @throws Error of the system when it cannot be read */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  const file = await open(path);
  try {
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, PIECE_BYTES);
      if (bytesRead === 0) return hash.digest("hex");
      hash.update(piece.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

/** The same of a file that another has written, which is on the disk from then on. @throws Error of the system when it cannot be read or written */
export async function settledSha256Of(path: string): Promise<string> {
  const [sha256] = await Promise.all([sha256Of(path), settled(path)]);
  return sha256;
}

async function settled(path: string): Promise<void> {
  const file = await open(path);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Puts a text at a path, whole or not at all, whenever the process or the machine ends; in parts where it may be longer than any text. @throws Error of the system where the disk has no room for all of it */
export function writeWhole(path: string, text: string | Iterable<string>): void {
  const temporary = `${path}.next`;
  const handle = openSync(temporary, "w", 0o600);
  try {
    // One write may take a part alone, as on a disk that fills: this goes on with the rest, which is then refused.
    for (const part of typeof text === "string" ? [text] : text) writeFileSync(handle, part);
    fsyncSync(handle);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
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
