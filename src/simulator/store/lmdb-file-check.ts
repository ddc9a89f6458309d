import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { FormatError } from "../../core/errors.js";

/**
 * LMDB trusts the files that it maps: a truncated or overwritten one ends the process by a signal.
 * So every page that the newest state reaches is checked first, by plain reads. The layout is that
 * of `mdb.c` of lmdb-js (`MDB_page_header`, `MDB_meta`, `MDB_node`), format version 2, on a 64-bit
 * little-endian machine, as all supported ones are.
 */
const HEADER = { number: 0, flags: 18, lower: 20, bytes: 24 } as const;
const META = {
  magic: 24,
  version: 28,
  free: 48,
  main: 96,
  lastPage: 144,
  transaction: 152,
  bytes: 168,
} as const;
const TREE = { pageBytes: 0, depth: 6, root: 40, bytes: 48 } as const;
const NODE = { flags: 4, keyBytes: 6, bytes: 8 } as const;
const PAGE = { branch: 1, leaf: 2, overflow: 4, meta: 8, kinds: 15 } as const;
const NODE_FLAG = { overflow: 1, tree: 2 } as const;
const MAGIC = 0xbeefc0de;
const VERSION = 2;
/** The root of an empty tree. */
const NO_PAGE = 2n ** 64n - 1n;
const [SMALLEST_PAGE, LARGEST_PAGE] = [512, 65_536];
/** LMDB's own limit (`CURSOR_STACK`). */
const DEEPEST = 32;

/**
 * Checks a whole LMDB file without mapping it.
 * @throws FormatError with the damaged page, for a file that LMDB could not read to its end; the
 * file system's error when it cannot be read.
 */
export function checkLmdbFile(path: string): void {
  // Opening a pipe would wait for its writer.
  if (!statSync(path).isFile())
    throw new FormatError("is not a plain file", {
      field: path,
      expected: "a file of the exchange's state",
    });
  const descriptor = openSync(path, "r");
  try {
    new LmdbFile(path, descriptor, fstatSync(descriptor).size).check();
  } finally {
    closeSync(descriptor);
  }
}

class LmdbFile {
  readonly #path: string;
  readonly #descriptor: number;
  readonly #size: number;
  #pageBytes = SMALLEST_PAGE;
  #lastPage = 0n;
  readonly #seen = new Set<number>();

  constructor(path: string, descriptor: number, size: number) {
    this.#path = path;
    this.#descriptor = descriptor;
    this.#size = size;
  }

  check(): void {
    if (this.#size === 0) throw this.#wrong("is empty", "the exchange's state");
    const first = this.#metaAt(0);
    this.#pageBytes = first.readUInt32LE(META.free + TREE.pageBytes);
    const { length } = this.#pageBytes.toString(2).replace(/0+$/, "");
    if (length !== 1 || this.#pageBytes < SMALLEST_PAGE || this.#pageBytes > LARGEST_PAGE)
      throw this.#wrong(
        `has pages of ${this.#pageBytes} bytes`,
        "a power of two from 512 to 65536",
      );
    const second = this.#metaAt(this.#pageBytes);
    // As LMDB chooses: the last commit.
    const meta =
      first.readBigUInt64LE(META.transaction) >= second.readBigUInt64LE(META.transaction)
        ? first
        : second;
    this.#lastPage = meta.readBigUInt64LE(META.lastPage);
    this.#checkTree(meta.subarray(META.free, META.free + TREE.bytes), false);
    this.#checkTree(meta.subarray(META.main, META.main + TREE.bytes), true);
  }

  #metaAt(at: number): Buffer {
    const meta = this.#read(at, META.bytes, "its beginning");
    if (
      meta.readUInt32LE(META.magic) !== MAGIC ||
      (meta.readUInt16LE(HEADER.flags) & PAGE.meta) === 0
    )
      throw this.#wrong(
        `is not an LMDB file: it has another header at byte ${at}`,
        "a file of the exchange's state",
      );
    const version = meta.readUInt16LE(META.version);
    if (version !== VERSION)
      throw this.#wrong(`is an LMDB file of format ${version}`, `format ${VERSION}`);
    return meta;
  }

  /**
   * @param isOfRecords true if its keys are records', in byte order; those of free pages are
   * numbers.
   */
  #checkTree(tree: Buffer, isOfRecords: boolean): void {
    const root = tree.readBigUInt64LE(TREE.root);
    if (root === NO_PAGE) return;
    const depth = tree.readUInt16LE(TREE.depth);
    if (depth === 0 || depth > DEEPEST)
      throw this.#wrong(`has a tree of depth ${depth}`, `1 to ${DEEPEST}`);
    this.#checkPage(root, depth, isOfRecords);
  }

  #checkPage(number: bigint, depth: number, isOfRecords: boolean): void {
    const page = this.#pageAt(number);
    const isLeaf = depth === 1;
    this.#requireKind(page, number, isLeaf ? PAGE.leaf : PAGE.branch);
    const count = page.readUInt16LE(HEADER.lower) >> 1;
    if (HEADER.bytes + 2 * count > page.length || (count === 0 && !isLeaf))
      throw this.#damaged(number);
    let last: Buffer = Buffer.alloc(0);
    for (let i = 0; i < count; i += 1) {
      const at = HEADER.bytes + page.readUInt16LE(HEADER.bytes + 2 * i);
      if (at + NODE.bytes > page.length) throw this.#damaged(number);
      if (!isLeaf) {
        this.#checkPage(
          BigInt(page.readUInt32LE(at)) | (BigInt(page.readUInt16LE(at + NODE.flags)) << 32n),
          depth - 1,
          isOfRecords,
        );
        continue;
      }
      this.#checkLeafNode(page, at, number);
      const key = page.subarray(
        at + NODE.bytes,
        at + NODE.bytes + page.readUInt16LE(at + NODE.keyBytes),
      );
      // Keys out of order would hide records from searches without an error.
      if (isOfRecords && Buffer.compare(last, key) >= 0) throw this.#damaged(number);
      last = key;
    }
  }

  #checkLeafNode(page: Buffer, at: number, number: bigint): void {
    const flags = page.readUInt16LE(at + NODE.flags);
    const data = at + NODE.bytes + page.readUInt16LE(at + NODE.keyBytes);
    const isElsewhere = (flags & NODE_FLAG.overflow) !== 0;
    const held = isElsewhere ? 3 * 8 : page.readUInt32LE(at);
    if (data + held > page.length) throw this.#damaged(number);
    if (isElsewhere)
      this.#checkOverflow(page.readBigUInt64LE(data), page.readBigUInt64LE(data + 16));
    else if ((flags & NODE_FLAG.tree) !== 0 && held === TREE.bytes)
      this.#checkTree(page.subarray(data, data + TREE.bytes), false);
  }

  /** A record longer than a page: a number of pages, of which the first has a header. */
  #checkOverflow(number: bigint, pages: bigint): void {
    this.#requireKind(this.#pageAt(number), number, PAGE.overflow);
    if (pages === 0n || (number + pages) * BigInt(this.#pageBytes) > BigInt(this.#size))
      throw this.#wrong(`ends within page ${number + pages - 1n}`, "a complete record");
  }

  #requireKind(page: Buffer, number: bigint, kind: number): void {
    if (
      page.readBigUInt64LE(HEADER.number) !== number ||
      (page.readUInt16LE(HEADER.flags) & PAGE.kinds) !== kind
    )
      throw this.#damaged(number);
  }

  #pageAt(number: bigint): Buffer {
    if (number > this.#lastPage)
      throw this.#wrong(`refers to page ${number}`, `at most ${this.#lastPage}`);
    const at = Number(number);
    // Each page is referenced once: a second reference would be a cycle.
    if (this.#seen.has(at)) throw this.#damaged(number);
    this.#seen.add(at);
    return this.#read(at * this.#pageBytes, this.#pageBytes, `page ${number}`);
  }

  #read(at: number, length: number, what: string): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    if (at + length > this.#size || readSync(this.#descriptor, bytes, 0, length, at) !== length)
      throw this.#wrong(
        `is cut off: it has ${this.#size} bytes and lacks ${what}`,
        "the complete file",
      );
    return bytes;
  }

  #damaged(number: bigint): FormatError {
    return this.#wrong(
      `is damaged: page ${number} does not match the other pages`,
      "a file that no other program has changed",
    );
  }

  #wrong(summary: string, expected: string): FormatError {
    return new FormatError(summary, { field: this.#path, expected });
  }
}
