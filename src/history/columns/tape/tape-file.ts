import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { endianness } from "node:os";
import { crc32 } from "node:zlib";
import { z } from "zod";
import { blockBytes } from "./block-layout.js";

/** Changes whenever the meaning of the bytes changes. Files of another version are rebuilt. */
export const TAPE_FORMAT = 3;
/** Begins and ends every tape file. */
const MAGIC = Buffer.from("marketwrighttape", "latin1");
/**
 * The trailer after the footer: the footer's offset, its length, its CRC-32, and the magic again.
 */
const TRAILER_BYTES = 8 + 4 + 4 + MAGIC.length;

const count = z.int().nonnegative();
const us = z.int();

const block = z.strictObject({
  offset: count,
  messages: count,
  rows: count,
  hasByLocal: z.boolean(),
  /** Absent in files of versions that had only narrow blocks. */
  isWide: z.boolean().default(false),
  crc32: count,
  /** Exchange stamps of its first and last message. */
  firstUs: us,
  lastUs: us,
});

const footer = z.strictObject({
  format: z.literal(TAPE_FORMAT),
  endianness: z.literal(endianness()),
  key: z.string(),
  /** When its Parquet files were last written, in nanoseconds since 1970; absent in older files. */
  modifiedNs: z.array(z.string()).optional(),
  messages: count,
  rows: count,
  /** The target number of rows. A block may hold more, since a message is never divided. */
  blockRows: count,
  /** Nanoseconds added to the store's local stamps, so that none lies before its exchange stamp. */
  addedLocalNs: z.string(),
  /** True if the first book message is a whole book. */
  beginsWhole: z.boolean(),
  /**
   * The losses of the book and the snapshots that restore it: the day's first, and the first after
   * each loss.
   */
  turns: z.array(z.strictObject({ atUs: us, isLoss: z.boolean() })),
  blocks: z.array(block),
});

/** The footer of a tape file. */
export type TapeFooter = z.infer<typeof footer>;
/** One entry of the block table. */
export type BlockNote = z.infer<typeof block>;

/** Writes a tape file, block by block. The file is valid only after {@link finish}. */
export class TapeFileWriter {
  readonly #file: FileHandle;
  readonly #blocks: BlockNote[] = [];
  #end = MAGIC.length;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Creates the file, which must not exist yet. @throws Error of the system */
  static async create(path: string): Promise<TapeFileWriter> {
    const file = await open(path, "wx", 0o600);
    const writer = new TapeFileWriter(file);
    await writer.#write(MAGIC, 0);
    return writer;
  }

  /** Adds a block. The caller may reuse its bytes when the promise resolves. */
  async block(bytes: Uint8Array, note: Omit<BlockNote, "offset" | "crc32">): Promise<void> {
    this.#blocks.push({ ...note, offset: this.#end, crc32: crc32(bytes) });
    await this.#write(bytes, this.#end);
    this.#end += bytes.length;
  }

  /** Writes the table of blocks and syncs the file to disk. */
  async finish(facts: Omit<TapeFooter, "format" | "endianness" | "blocks">): Promise<void> {
    const text = Buffer.from(
      JSON.stringify({
        format: TAPE_FORMAT,
        endianness: endianness(),
        ...facts,
        blocks: this.#blocks,
      }),
    );
    const trailer = Buffer.alloc(TRAILER_BYTES);
    trailer.writeBigUInt64LE(BigInt(this.#end), 0);
    trailer.writeUInt32LE(text.length, 8);
    trailer.writeUInt32LE(crc32(text), 12);
    MAGIC.copy(trailer, 16);
    await this.#write(Buffer.concat([text, trailer]), this.#end);
    await this.#file.sync();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #write(bytes: Uint8Array, at: number): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, at + done);
      done += bytesWritten;
    }
  }
}

/**
 * The footer of a complete tape file with this key; undefined if the file is absent, truncated,
 * foreign, stale or of another version.
 */
export function readFooter(path: string, key: string): TapeFooter | undefined {
  let handle: number;
  try {
    handle = openSync(path, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const { size } = fstatSync(handle);
    const trailer = bytesAt(handle, size - TRAILER_BYTES, TRAILER_BYTES);
    if (trailer === undefined || !trailer.subarray(16).equals(MAGIC)) return undefined;
    const offset = Number(trailer.readBigUInt64LE(0));
    const length = trailer.readUInt32LE(8);
    if (offset + length + TRAILER_BYTES !== size) return undefined;
    const text = bytesAt(handle, offset, length);
    if (text === undefined || crc32(text) !== trailer.readUInt32LE(12)) return undefined;
    const read = footer.safeParse(JSON.parse(text.toString("utf8")));
    if (!read.success || read.data.key !== key) return undefined;
    return read.data;
  } finally {
    closeSync(handle);
  }
}

/**
 * Reads a block straight into memory, without a copy.
 * @returns false if its checksum does not match or the file is too short.
 */
export async function readTapeBlock(
  file: FileHandle,
  note: BlockNote,
  into: Uint8Array,
): Promise<boolean> {
  const bytes = into.subarray(0, blockBytes(note));
  for (let done = 0; done < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, done, bytes.length - done, note.offset + done);
    if (bytesRead === 0) return false;
    done += bytesRead;
  }
  return crc32(bytes) === note.crc32;
}

function bytesAt(handle: number, offset: number, length: number): Buffer | undefined {
  if (offset < 0) return undefined;
  const bytes = Buffer.alloc(length);
  return readSync(handle, bytes, 0, length, offset) === length ? bytes : undefined;
}
