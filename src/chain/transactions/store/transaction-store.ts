import type { Hex, Ms } from "../../../core/units.js";
import type { Attempt, JobOutcome } from "../transaction-event.js";
import type { TransactionJob } from "../transaction-job.js";

/** File name of a key's transactions in the state directory. */
export const TRANSACTIONS_FILE = "transactions.jsonl";

/** A transaction that is signed and about to be sent. The first one of a nonce carries the job. */
export interface StoredAttempt extends Attempt {
  /** The bytes to send, and to send again: signed, without the key. */
  readonly raw: Hex;
  readonly atMs: Ms;
}

/** One record of a store. */
export type TransactionRecord =
  /** On disk before the transaction is sent. `job` is null for a nonce that only fills a gap. */
  | {
      readonly kind: "attempt";
      readonly job: TransactionJob | null;
      readonly attempt: StoredAttempt;
    }
  /**
   * A nonce's final outcome; `jobId` and `outcome` are null if it only filled a gap. `atBlock`: the
   * newest block at that time.
   */
  | {
      readonly kind: "final";
      readonly nonce: number;
      readonly jobId: string | null;
      readonly outcome: JobOutcome | null;
      readonly atBlock?: number;
    }
  /** A reorg removed the preceding final outcome: the nonce is followed again. */
  | { readonly kind: "reopened"; readonly nonce: number };

/** Storage from which pending transactions are recovered after a restart. */
export interface TransactionStore {
  /**
   * Everything that was appended, oldest first. Of final records, at least the newest outcomes, and
   * the transactions of the newest of those.
   */
  load(): readonly TransactionRecord[];
  /**
   * Is durable when it returns.
   * @throws Error of the system; nothing may be sent then.
   */
  append(record: TransactionRecord): void;
  close(): void;
}
