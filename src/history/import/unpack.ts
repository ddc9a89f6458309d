import { createHash } from "node:crypto";
import {
  closeSync,
  createReadStream,
  createWriteStream,
  openSync,
  readSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { basename, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { hashFile } from "../file-hash.js";
import { HistoryError } from "../history-errors.js";
import type { PlainFile } from "./plain-file.js";
import { unzip } from "./unzip.js";

/**
 * An unpacked file, with a check that the original file has not changed since before it was read.
 */
export interface UnpackedFile extends PlainFile {
  readonly isUnchanged: () => boolean;
}

/**
 * Unpacks a file by its first bytes: gzip, zip with any number of files, or neither. Archives are
 * read to their end and checked, since a truncated one would look complete to a reader of lines.
 * @param folder for the unpacked files.
 * @throws HistoryError naming the file when it is missing, truncated or broken
 */
export async function unpack(
  file: string,
  folder: string,
  signal?: AbortSignal,
): Promise<readonly UnpackedFile[]> {
  const magic = firstBytes(file);
  const before = versionOf(file);
  const plain = await unpackedBy(magic, file, folder, signal);
  return plain.map((each) => ({ ...each, isUnchanged: () => versionOf(file) === before }));
}

async function unpackedBy(
  magic: string,
  file: string,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<readonly PlainFile[]> {
  const sha256 = hashFile(file);
  // Callers that await the hash get the error. An import that ends earlier never awaits it.
  sha256.catch(() => undefined);
  const name = basename(file);
  if (magic.startsWith("1f8b")) {
    const path = join(
      folder,
      `${(await sha256).slice(0, 16)}-${plainName(name.replace(/\.gz$/, ""))}`,
    );
    const unzipped = createGunzip();
    try {
      await pipeline(createReadStream(file), unzipped, createWriteStream(path, { mode: 0o600 }), {
        signal,
      });
    } catch (cause) {
      throw new HistoryError(
        file,
        `is broken: ${cause instanceof Error ? cause.message : String(cause)}`,
        {
          expected: "a complete gzip file",
          cause,
        },
      );
    }
    await refuseMore(file, unzipped.bytesWritten);
    return [{ file, path, name: name.replace(/\.gz$/, ""), sha256 }];
  }
  if (magic.startsWith("504b")) return unzip(file, folder, sha256, signal);
  return [{ file, path: readablePath(file, folder), name, sha256 }];
}

/**
 * Refuses data after a gzip member that begin with a zero byte, which are not unpacked. Zeros may
 * pad a file, but nothing else may follow them.
 * @throws HistoryError
 */
async function refuseMore(file: string, start: number): Promise<void> {
  let at = start;
  for await (const piece of createReadStream(file, { start }) as AsyncIterable<Buffer>) {
    const more = piece.findIndex((byte) => byte !== 0);
    if (more !== -1)
      throw new HistoryError(file, `is broken: it continues at byte ${at + more}, after zeros`, {
        expected: "a complete gzip file, followed only by zeros",
      });
    at += piece.length;
  }
}

/** A text that changes with a file's bytes; empty if the file is gone. */
function versionOf(file: string): string {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? "" : [found.ino, found.size, found.mtimeNs].join();
}

/** The byte order mark that some programs write before UTF-8 text (Unicode, section 23.8). */
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Returns a file of JSON records without its byte order mark. The database skips the mark in CSV
 * only.
 * @param folder for the copy
 */
export async function withoutMark(plain: UnpackedFile, folder: string): Promise<UnpackedFile> {
  const bytes = Buffer.alloc(BYTE_ORDER_MARK.length + 1);
  const handle = openSync(plain.path, "r");
  try {
    readSync(handle, bytes);
  } finally {
    closeSync(handle);
  }
  if (
    !bytes.subarray(0, -1).equals(BYTE_ORDER_MARK) ||
    bytes.toString("latin1", BYTE_ORDER_MARK.length) !== "{"
  )
    return plain;
  const path = join(
    folder,
    `${createHash("sha256").update(plain.path).digest("hex").slice(0, 16)}.ndjson`,
  );
  await pipeline(
    createReadStream(plain.path, { start: BYTE_ORDER_MARK.length }),
    createWriteStream(path, { mode: 0o600 }),
  );
  return { ...plain, path };
}

/**
 * A path of the file that the database does not read as a pattern. A path with both a backslash and
 * pattern characters is replaced by a link.
 */
function readablePath(file: string, folder: string): string {
  const whole = resolve(file);
  if (!(whole.includes("\\") && /[*?[]/.test(whole))) return file;
  const link = join(
    folder,
    `${createHash("sha256").update(whole).digest("hex").slice(0, 16)}-${plainName(basename(file))}`,
  );
  rmSync(link, { force: true });
  symlinkSync(whole, link);
  return link;
}

/** A file's name without pattern characters. */
function plainName(name: string): string {
  return name.replace(/[*?[\\]/g, "_");
}

function firstBytes(file: string): string {
  const bytes = Buffer.alloc(4);
  let handle: number;
  try {
    handle = openSync(file, "r");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
    throw new HistoryError(
      file,
      code === "ENOENT" ? "does not exist" : `cannot be opened (${code})`,
      {
        expected: "a file to import",
        cause,
      },
    );
  }
  try {
    return bytes.subarray(0, readSync(handle, bytes)).toString("hex");
  } catch (cause) {
    throw new HistoryError(file, "cannot be read", { expected: "a file, not a folder", cause });
  } finally {
    closeSync(handle);
  }
}
