import { createWriteStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { crc32 } from "node:zlib";
import { type Entry, fromFdPromise, type ZipFile } from "yauzl";
import { HistoryError } from "../history-errors.js";
import type { PlainFile } from "./plain-file.js";

/**
 * The records that may follow the directory of an archive (PKWARE APPNOTE 6.3.10, 4.3.14 and
 * 4.3.16).
 */
const ENDS_OF_DIRECTORY = [0x06064b50, 0x06054b50];
const MOST_DIRECTORY_BYTES = 64 * 1024 * 1024;

/**
 * The files that the Finder adds to an archive: attributes of each file, and the view of each
 * folder.
 */
const OF_THE_FINDER = /^__MACOSX\/(.*\/)?\._[^/]*$|(^|\/)\.DS_Store$/;

/**
 * Unpacks every file of a zip archive except those that the Finder adds, and checks each by its
 * size and CRC.
 * @throws HistoryError naming the archive when it is truncated, broken or encrypted
 */
export async function unzip(
  file: string,
  folder: string,
  sha256: Promise<string>,
  signal?: AbortSignal,
): Promise<readonly PlainFile[]> {
  const handle = await open(file, "r");
  try {
    const zip = await opened(handle, file);
    const plain: PlainFile[] = [];
    for (const [index, entry] of (await entriesOf(zip, handle, file)).entries()) {
      const name = nameOf(entry);
      if ((name.endsWith("/") && entry.uncompressedSize === 0) || OF_THE_FINDER.test(name))
        continue;
      // The second file would be mistaken for the first.
      if (plain.some((before) => before.name === name))
        throw broken(file, `it has two files named ${name}`);
      const path = join(folder, `${(await sha256).slice(0, 16)}-${index}`);
      await extract(zip, file, entry, path, signal);
      plain.push({ file: `${file}:${name}`, path, name, sha256 });
    }
    if (plain.length === 0) throw broken(file, "it has no file");
    return plain;
  } finally {
    await handle.close();
  }
}

function opened({ fd }: FileHandle, file: string): Promise<ZipFile> {
  // Names and sizes are checked here: the database reads none of the names as a path, and an error
  // about a wrong size has to name the file.
  const options = { autoClose: false, decodeStrings: false, validateEntrySizes: false };
  return fromFdPromise(fd, options).catch((cause: unknown) => {
    const why = messageOf(cause);
    const isMissing = why.startsWith("End of central directory record signature not found");
    throw broken(
      file,
      isMissing ? "its directory is missing, so it was cut off" : `its directory is broken: ${why}`,
      cause,
    );
  });
}

async function entriesOf(zip: ZipFile, handle: FileHandle, file: string): Promise<Entry[]> {
  // The library's types declare this offset as a boolean.
  const offset = (): number => Number(zip.readEntryCursor);
  const start = offset();
  const entries: Entry[] = [];
  try {
    for await (const entry of zip.eachEntry()) {
      entries.push(entry);
      if (offset() - start > MOST_DIRECTORY_BYTES) break;
    }
  } catch (cause) {
    throw broken(file, `its directory is broken: ${messageOf(cause)}`, cause);
  }
  if (offset() - start > MOST_DIRECTORY_BYTES) throw broken(file, "its directory is too large");
  const next = Buffer.alloc(4);
  await handle.read(next, 0, next.length, offset());
  if (!ENDS_OF_DIRECTORY.includes(next.readUInt32LE(0)))
    throw broken(file, `its directory has more files than its count of ${zip.entryCount}`);
  return entries;
}

async function extract(
  zip: ZipFile,
  file: string,
  entry: Entry,
  path: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const name = nameOf(entry);
  if (!entry.canDecodeFileData()) {
    const { compressionMethod } = entry;
    throw broken(
      file,
      `${name} is ${entry.isEncrypted() ? "encrypted" : `packed by method ${compressionMethod}`}`,
    );
  }
  const local = await zip.readLocalFileHeaderPromise(entry).catch((cause: unknown) => {
    throw broken(
      file,
      `${name} is not at the place that the directory gives: ${messageOf(cause)}`,
      cause,
    );
  });
  if (!local.fileName.equals(entry.fileNameRaw))
    throw broken(file, `${name} has another name in its own header`);
  let crc = 0;
  let size = 0;
  const check = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      crc = crc32(chunk, crc);
      size += chunk.length;
      const { uncompressedSize } = entry;
      // A few packed bytes may expand to any number.
      done(
        size > uncompressedSize
          ? new Error(`it is longer than its stated ${uncompressedSize} bytes`)
          : null,
        chunk,
      );
    },
  });
  try {
    const sink = createWriteStream(path, { mode: 0o600 });
    // Some programs store an empty file as deflated data of zero bytes, which no decoder accepts.
    const packed = entry.compressedSize === 0 ? [] : await zip.openReadStreamPromise(entry);
    await pipeline(packed, check, sink, { signal });
  } catch (cause) {
    throw broken(file, `${name}: ${messageOf(cause)}`, cause);
  }
  if (size !== entry.uncompressedSize || crc !== entry.crc32)
    throw broken(file, `${name} does not match its checksum`);
}

/** Most programs write UTF-8 without setting the flag. */
function nameOf({ fileNameRaw }: Entry): string {
  return fileNameRaw.toString("utf8");
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function broken(file: string, why: string, cause?: unknown): HistoryError {
  return new HistoryError(file, `is broken: ${why}`, {
    expected: "a complete zip archive with stored or deflated files",
    cause,
  });
}
