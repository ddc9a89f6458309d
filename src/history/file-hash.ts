import { createHash } from "node:crypto";
import { open } from "node:fs/promises";

/** Bytes read at a time. */
const PIECE_BYTES = 1024 * 1024;

/**
 * The SHA-256 of a file, read in pieces into one buffer. A stream allocates a new buffer for each
 * piece, which costs half as much as the hash.
 * @throws Error of the system when it cannot be read
 */
export async function hashFile(path: string): Promise<string> {
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

/**
 * Syncs a file that another writer wrote to disk, and returns its SHA-256.
 * @throws Error of the system when it cannot be read or written
 */
export async function syncAndHashFile(path: string): Promise<string> {
  const [sha256] = await Promise.all([hashFile(path), settled(path)]);
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
