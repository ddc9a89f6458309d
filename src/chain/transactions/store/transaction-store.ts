import type { Hex, Ms } from "../../../core/units.js";
import type { Attempt, JobOutcome } from "../transaction-event.js";
import type { TransactionJob } from "../transaction-job.js";

/** The name under which a key's transactions are kept where a process keeps its state. */
export const TRANSACTIONS_FILE = "transactions.jsonl";

/** A transaction that is signed and about to be sent. The first of a nonce carries the job. */
export interface StoredAttempt extends Attempt {
  /** The bytes that are sent, and sent again: signed, without the key. */
  readonly raw: Hex;
  readonly atMs: Ms;
}

/** What a store keeps, one record after the other. */
export type TransactionRecord =
  /** Is on the disk before the transaction is sent. `job` is null for a nonce that is only filled. */
  | {
      readonly kind: "attempt";
      readonly job: TransactionJob | null;
      readonly attempt: StoredAttempt;
    }
  /** A nonce's end; `jobId` and `outcome` null for one that was only filled. `atBlock`: the newest block of that moment. */
  | {
      readonly kind: "final";
      readonly nonce: number;
      readonly jobId: string | null;
      readonly outcome: JobOutcome | null;
      readonly atBlock?: number;
    }
  /** The end that is before it was undone by the chain: the nonce is followed again. */
  | { readonly kind: "reopened"; readonly nonce: number };

/** What pending transactions are found in after a restart. */
export interface TransactionStore {
  /** Everything that was appended, oldest first; of what is final the newest ends at least, and the transactions of the newest of those. */
  load(): readonly TransactionRecord[];
  /**
   * Is durable when it returns.
   * @throws Error of the system; nothing may be sent then.
   */
  append(record: TransactionRecord): void;
  close(): void;
}
