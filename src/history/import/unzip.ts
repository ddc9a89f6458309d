import { createReadStream, createWriteStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { crc32, createInflateRaw } from "node:zlib";
import { HistoryError } from "../history-errors.js";
import type { PlainFile } from "./plain-file.js";

/** Signatures and sizes of the ZIP format (PKWARE APPNOTE 6.3.10, 4.3.7, 4.3.12, 4.3.14 to 4.3.16, 4.5.3). */
const END = 0x06054b50;
const END64 = 0x06064b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const LOCATOR64_BYTES = 20;
const LONGEST_COMMENT = 65_535;
const MAX32 = 0xffffffff;
const MOST_DIRECTORY_BYTES = 64 * 1024 * 1024;

/** What the Finder packs beside a person's files: of each its attributes, and of each folder how it is shown. */
const OF_THE_FINDER = /^__MACOSX\/(.*\/)?\._[^/]*$|(^|\/)\.DS_Store$/;

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly isEncrypted: boolean;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly offset: number;
}

/** Unpacks every file of a zip archive but what the Finder adds, each checked by its size and CRC. @throws HistoryError naming the archive when it is cut short, broken or encrypted */
export async function unzip(
  file: string,
  folder: string,
  sha256: Promise<string>,
  signal?: AbortSignal,
): Promise<readonly PlainFile[]> {
  const handle = await open(file, "r");
  try {
    const plain: PlainFile[] = [];
    for (const [index, entry] of (await directoryOf(handle, file)).entries()) {
      const { name } = entry;
      if ((name.endsWith("/") && entry.size === 0) || OF_THE_FINDER.test(name)) continue;
      // The second would be taken for the first, which is there already.
      if (plain.some((before) => before.name === name))
        throw broken(file, `it holds two files of the name ${name}`);
      const path = join(folder, `${(await sha256).slice(0, 16)}-${index}`);
      await extract(handle, file, entry, path, signal);
      plain.push({ file: `${file}:${name}`, path, name, sha256 });
    }
    if (plain.length === 0) throw broken(file, "it holds no file");
    return plain;
  } finally {
    await handle.close();
  }
}

async function directoryOf(handle: FileHandle, file: string): Promise<Entry[]> {
  const { size } = await handle.stat();
  const tail = await bytesAt(
    handle,
    file,
    Math.max(0, size - END_BYTES - LONGEST_COMMENT),
    Math.min(size, END_BYTES + LONGEST_COMMENT),
  );
  let at = tail.length - END_BYTES;
  while (at >= 0 && tail.readUInt32LE(at) !== END) at -= 1;
  if (at < 0) throw broken(file, "its directory is missing, so it was cut short");
  let count = tail.readUInt16LE(at + 10);
  let directoryBytes = tail.readUInt32LE(at + 12);
  let start = tail.readUInt32LE(at + 16);
  if (start === MAX32 || directoryBytes === MAX32 || count === 0xffff) {
    if (at < LOCATOR64_BYTES) throw broken(file, "its directory is broken");
    const end64 = await bytesAt(
      handle,
      file,
      Number(tail.readBigUInt64LE(at - LOCATOR64_BYTES + 8)),
      56,
    );
    if (end64.readUInt32LE(0) !== END64) throw broken(file, "its directory is broken");
    count = Number(end64.readBigUInt64LE(32));
    directoryBytes = Number(end64.readBigUInt64LE(40));
    start = Number(end64.readBigUInt64LE(48));
  }
  if (directoryBytes > MOST_DIRECTORY_BYTES)
    throw broken(file, "its directory is larger than any of market data");
  const directory = await bytesAt(handle, file, start, directoryBytes);
  const entries: Entry[] = [];
  let place = 0;
  for (let index = 0; index < count; index++) {
    if (place + 46 > directory.length || directory.readUInt32LE(place) !== CENTRAL)
      throw broken(file, "its directory is broken");
    const nameBytes = directory.readUInt16LE(place + 28);
    const extraBytes = directory.readUInt16LE(place + 30);
    const extra = directory.subarray(place + 46 + nameBytes, place + 46 + nameBytes + extraBytes);
    const [unpacked, packed, offset] = wide(extra, [
      directory.readUInt32LE(place + 24),
      directory.readUInt32LE(place + 20),
      directory.readUInt32LE(place + 42),
    ]);
    entries.push({
      name: directory.toString("utf8", place + 46, place + 46 + nameBytes),
      method: directory.readUInt16LE(place + 10),
      isEncrypted: (directory.readUInt16LE(place + 8) & 1) === 1,
      crc: directory.readUInt32LE(place + 16),
      packed: packed as number,
      size: unpacked as number,
      offset: offset as number,
    });
    place += 46 + nameBytes + extraBytes + directory.readUInt16LE(place + 32);
  }
  if (place !== directory.length)
    throw broken(file, `its directory has more than the ${count} files that it counts`);
  return entries;
}

/** The fields that did not fit 32 bits, from the extra field of 64-bit archives, in their order. */
function wide(extra: Buffer, fields: readonly number[]): number[] {
  let at = 0;
  while (at + 4 <= extra.length && extra.readUInt16LE(at) !== 1)
    at += 4 + extra.readUInt16LE(at + 2);
  let place = at + 4;
  return fields.map((field) => {
    if (field !== MAX32 || place + 8 > extra.length) return field;
    place += 8;
    return Number(extra.readBigUInt64LE(place - 8));
  });
}

async function extract(
  handle: FileHandle,
  file: string,
  entry: Entry,
  path: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (entry.isEncrypted || (entry.method !== 0 && entry.method !== 8)) {
    throw broken(
      file,
      `${entry.name} is ${entry.isEncrypted ? "encrypted" : `packed by method ${entry.method}`}`,
    );
  }
  const local = await bytesAt(handle, file, entry.offset, 30);
  if (local.readUInt32LE(0) !== LOCAL)
    throw broken(file, `${entry.name} is not where the directory says`);
  const nameBytes = local.readUInt16LE(26);
  const name = await bytesAt(handle, file, entry.offset + 30, nameBytes);
  if (name.toString("utf8") !== entry.name)
    throw broken(file, `${entry.name} has another name where it lies`);
  const start = entry.offset + 30 + nameBytes + local.readUInt16LE(28);
  let crc = 0;
  let size = 0;
  const check = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      crc = crc32(chunk, crc);
      size += chunk.length;
      // Of a few packed bytes any number may come.
      done(size > entry.size ? new Error(`it is more than its ${entry.size} bytes`) : null, chunk);
    },
  });
  const sink = createWriteStream(path, { mode: 0o600 });
  try {
    if (entry.packed === 0) await pipeline([], check, sink);
    else {
      const packed = createReadStream(file, { start, end: start + entry.packed - 1 });
      await (entry.method === 8
        ? pipeline(packed, createInflateRaw(), check, sink, { signal })
        : pipeline(packed, check, sink, { signal }));
    }
  } catch (cause) {
    throw broken(
      file,
      `${entry.name}: ${cause instanceof Error ? cause.message : String(cause)}`,
      cause,
    );
  }
  if (size !== entry.size || crc !== entry.crc)
    throw broken(file, `${entry.name} is not what its checksum says`);
}

async function bytesAt(
  handle: FileHandle,
  file: string,
  position: number,
  length: number,
): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await handle.read(bytes, 0, length, position);
  if (bytesRead < length) throw broken(file, "it ends before its directory says");
  return bytes;
}

function broken(file: string, why: string, cause?: unknown): HistoryError {
  return new HistoryError(file, `is broken: ${why}`, {
    expected: "a whole zip archive, stored or deflated",
    cause,
  });
}
