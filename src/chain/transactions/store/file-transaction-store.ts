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

/** Whose transactions a file holds. */
interface FileTransactionStoreOptions {
  readonly chainId: number;
  readonly account: Hex;
  /**
   * The file is written anew when it has more records than this and hardly any are needed. Default
   * 4000.
   */
  readonly compactAfter?: number;
  /**
   * Newest ends that keep their transactions then: more than can be watched at once for a
   * reorganisation that undoes them. Default 200.
   */
  readonly wholeEnds?: number;
}

/** Ends that a file keeps when it is written anew. */
const KEPT_FINALS = 1000;

/**
 * A file of JSON lines, mode 0600, each on the disk before the caller goes on. What a crash cut
 * short is cut off: it was never acted on. One process at a time: the caller sees to that. It holds
 * signed transactions, and no key.
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
   * Opens the file, or makes it and its folder.
   * @throws ConfigError when it is of another account or chain; FormatError when it is none of
   * ours, or damaged elsewhere than at its end; what the file system does.
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
    if (this.#isBroken) throw new RunError("could not be written before", { field: this.#path });
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

  /** Takes the records that were written whole. @returns false where not even the first line was */
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
    throw new FormatError("is no file of transaction lanes", {
      field: this.#path,
      expected: this.#header,
    });
  }

  /** A line that is not whole on the disk shall not be there at all. */
  #write(line: string): void {
    try {
      this.#file.append(`${line}\n`);
    } catch (error) {
      this.#isBroken = true;
      if (this.#file.failure === undefined) throw error;
      throw new RunError("cannot be written, nor what was written of it be taken back", {
        field: this.#path,
        cause: this.#file.failure,
      });
    }
  }

  /** What is still needed goes to a new file, which takes the place of the old one in one step. */
  #compact(): void {
    const kept = needed(this.#records, this.#wholeEnds);
    replaceFile(this.#path, [this.#header, ...kept.map(formatTransactionRecord), ""].join("\n"));
    this.#file.close();
    this.#file = AppendOnlyFile.open(this.#path, "each");
    this.#records = kept;
  }
}

/**
 * Transactions of nonces that have not ended, and the newest ends, with their transactions where
 * the chain may still undo them.
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
