import { statSync } from "node:fs";
import { dirname } from "node:path";
import { lowerCaseAddress } from "../../../core/crypto/address.js";
import { ConfigError, FormatError, RunError } from "../../../core/errors.js";
import { replaceFile } from "../../../core/files/atomic-file.js";
import { AppendOnlyFile, readWholeLines } from "../../../core/files/durable-log.js";
import { makeFolder } from "../../../core/files/make-folder.js";
import type { Hex } from "../../../core/units.js";
import { formatTransactionRecord, parseTransactionRecord } from "./transaction-record-json.js";
import type { TransactionRecord, TransactionStore } from "./transaction-store.js";

/** Owner and limits of a transaction file. */
interface FileTransactionStoreOptions {
  readonly chainId: number;
  readonly account: Hex;
  /**
   * The file is rewritten when it has more records than this and few of them are needed. Default
   * 4000.
   */
  readonly compactAfter?: number;
  /**
   * Newest final outcomes that keep their transactions in a rewrite: more than can be watched for
   * reorgs at once. Default 200.
   */
  readonly wholeEnds?: number;
}

/** Final outcomes that a rewrite keeps. */
const KEPT_FINALS = 1000;

/**
 * A file of JSON lines, mode 0600. Each line is on disk before the caller continues. A line that a
 * crash cut short is removed: it was never acted on. The caller ensures that only one process uses
 * it. It holds signed transactions, and no key.
 */
export class FileTransactionStore implements TransactionStore {
  readonly #path: string;
  readonly #header: string;
  readonly #compactAfter: number;
  readonly #wholeEnds: number;
  #records: TransactionRecord[] = [];
  #file: AppendOnlyFile;
  #isBroken = false;

  /**
   * Opens the file, or creates it and its folder.
   * @throws ConfigError when it is of another account or chain; FormatError when it is not a
   * transaction store, or is damaged before its end; errors of the file system.
   */
  constructor(
    path: string,
    { chainId, account, compactAfter = 4000, wholeEnds = 200 }: FileTransactionStoreOptions,
  ) {
    this.#path = path;
    this.#header = JSON.stringify({
      kind: "lanes",
      version: 1,
      chainId,
      account: lowerCaseAddress(account),
    });
    this.#compactAfter = compactAfter;
    this.#wholeEnds = wholeEnds;
    makeFolder(dirname(path));
    const isBegun = this.#read();
    this.#file = AppendOnlyFile.open(path, "each");
    try {
      if (!isBegun) this.#write(this.#header);
      if (this.#records.length > this.#compactAfter) this.#compact();
    } catch (error) {
      this.#file.abandon();
      throw error;
    }
  }

  load(): readonly TransactionRecord[] {
    return [...this.#records];
  }

  append(record: TransactionRecord): void {
    if (this.#isBroken) throw new RunError("could not be written earlier", { field: this.#path });
    this.#write(formatTransactionRecord(record));
    this.#records.push(record);
    if (
      this.#records.length > this.#compactAfter &&
      needed(this.#records, this.#wholeEnds).length * 2 < this.#records.length
    )
      this.#compact();
  }

  close(): void {
    this.#file.close();
  }

  /** Loads the complete records. @returns false if not even the first line was complete */
  #read(): boolean {
    const isFile = statSync(this.#path, { throwIfNoEntry: false })?.isFile() === true;
    const [header, ...lines] = isFile ? readWholeLines(this.#path) : [];
    if (header === undefined) return false;
    if (header !== this.#header) this.#refuse(header);
    this.#records = lines.map((line, i) => parseTransactionRecord(line, `${this.#path}:${i + 2}`));
    return true;
  }

  #refuse(header: string): never {
    let found: unknown;
    try {
      found = JSON.parse(header);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    if (typeof found === "object" && found !== null && "kind" in found && found.kind === "lanes")
      throw new ConfigError("holds the transactions of another account or chain", {
        field: this.#path,
        value: header,
        expected: this.#header,
      });
    throw new FormatError("is not a file of the transaction manager", {
      field: this.#path,
      expected: this.#header,
    });
  }

  /** A line that is not complete on disk must not be there at all. */
  #write(line: string): void {
    try {
      this.#file.append(`${line}\n`);
    } catch (error) {
      this.#isBroken = true;
      if (this.#file.failure === undefined) throw error;
      throw new RunError("cannot be written, and a partly written line cannot be removed", {
        field: this.#path,
        cause: this.#file.failure,
      });
    }
  }

  /** Copies the needed records to a new file, which atomically replaces the old one. */
  #compact(): void {
    const kept = needed(this.#records, this.#wholeEnds);
    replaceFile(this.#path, [this.#header, ...kept.map(formatTransactionRecord), ""].join("\n"));
    this.#file.close();
    this.#file = AppendOnlyFile.open(this.#path, "each");
    this.#records = kept;
  }
}

/**
 * Selects the transactions of open nonces, and the newest outcomes, with their transactions if a
 * reorg may still remove them.
 */
function needed(records: readonly TransactionRecord[], wholeEnds: number): TransactionRecord[] {
  const ends = new Map<number, number>();
  records.forEach((record, i) => {
    if (record.kind === "final") ends.set(record.nonce, i);
    if (record.kind === "reopened") ends.delete(record.nonce);
  });
  const newestFirst = [...ends.values()].sort((a, b) => b - a);
  const oldest = newestFirst[KEPT_FINALS - 1] ?? 0;
  const oldestWhole = newestFirst[wholeEnds - 1] ?? 0;
  return records.filter((record, i) => {
    if (record.kind === "reopened") return false;
    const end = ends.get(record.kind === "final" ? record.nonce : record.attempt.nonce);
    return record.kind === "final"
      ? end === i && i >= oldest
      : end === undefined || i > end || end >= oldestWhole;
  });
}
