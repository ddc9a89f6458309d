import { closeSync, fstatSync, readSync } from "node:fs";
import { z } from "zod";
import { openPlainFile } from "../core/files/plain-files.js";
import type { Notice } from "./notice.js";
import { earlierNotices, writtenNoticeSchema } from "./notice-file.js";

/** The schema of a {@link NoticePosition}. */
export const noticePositionSchema = z.object({ epoch: z.number(), number: z.int() });

/** The newest notice that was read. */
export type NoticePosition = Readonly<z.output<typeof noticePositionSchema>>;

/** The notices after a position. */
interface ReadNotices {
  readonly notices: readonly Notice[];
  readonly position: NoticePosition | undefined;
  /** Notices after the position that the files do not have any more. */
  readonly missing: number;
}

const LINE_FEED = 0x0a;

/** Reads the notices of a file that another process appends to and replaces. */
export class NoticeReader {
  readonly #path: string;
  /** The file that was read last, and the end of its last whole line. */
  #inode: number | undefined;
  #offset = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** @throws errors of the file system */
  read(position: NoticePosition | undefined): ReadNotices {
    const current = readFrom(this.#path, this.#inode, this.#offset);
    if (current === undefined) return { notices: [], position, missing: 0 };
    // Another file than the one before: that one may have got lines since.
    const earlier =
      current.inode === this.#inode
        ? undefined
        : readFrom(earlierNotices(this.#path), this.#inode, this.#offset);
    this.#inode = current.inode;
    this.#offset = current.end;
    const notices: Notice[] = [];
    let newest = position;
    let missing = 0;
    for (const line of [...(earlier?.lines ?? []), ...current.lines]) {
      const written = parseLine(line);
      if (written === undefined) continue;
      const { epoch, number, ...notice } = written;
      if (newest?.epoch === epoch) {
        if (number <= newest.number) continue;
        missing += number - newest.number - 1;
      }
      newest = { epoch, number };
      notices.push(notice);
    }
    return { notices, position: newest, missing };
  }
}

/**
 * The whole lines of a file, after `offset` if it is the file of that inode. Undefined if it does
 * not exist.
 */
function readFrom(
  path: string,
  inode: number | undefined,
  offset: number,
): { readonly inode: number; readonly end: number; readonly lines: readonly string[] } | undefined {
  let file: number;
  try {
    file = openPlainFile(path, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const { ino, size } = fstatSync(file);
    const from = ino === inode && offset <= size ? offset : 0;
    const bytes = Buffer.alloc(size - from);
    let read = 0;
    for (let more = 1; more > 0 && read < bytes.length; read += more)
      more = readSync(file, bytes, read, bytes.length - read, from + read);
    const whole = bytes.subarray(0, bytes.subarray(0, read).lastIndexOf(LINE_FEED) + 1);
    const lines = whole.toString("utf8").split("\n").slice(0, -1);
    return { inode: ino, end: from + whole.length, lines };
  } finally {
    closeSync(file);
  }
}

/** A line of the file; undefined for one that is cut short or foreign. */
function parseLine(line: string): z.output<typeof writtenNoticeSchema> | undefined {
  try {
    return writtenNoticeSchema.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
