import type { Ms } from "../../core/units.js";
import type { TransactionReceipt } from "../blocks/transaction-receipt.js";
import type { Revert } from "../contracts/revert.js";
import type { StoredAttempt } from "./store/transaction-store.js";
import type { TransactionJob } from "./transaction-job.js";

/** A transaction of a slot that is in a block. */
export interface MinedAttempt {
  readonly attempt: StoredAttempt;
  readonly receipt: TransactionReceipt;
  /** Set if it reverted there. */
  readonly revert: Revert | undefined;
}

/** One nonce for which we have signed something, until its outcome is final. */
export class NonceSlot {
  readonly nonce: number;
  /** Null for a nonce that only fills a gap. */
  readonly job: TransactionJob | null;
  /** Oldest first; each pays more than the one before. */
  readonly attempts: StoredAttempt[];
  mined: MinedAttempt | undefined;
  /** True once a cancel is requested. */
  isCancelRequested = false;
  /** Broadcasts in progress. */
  broadcastsInProgress = 0;
  /**
   * First broadcast of the newest attempt, by monotonic clock and block number. Undefined after a
   * restart until the first check.
   */
  newestSentAt: { readonly ms: number; readonly block: number } | undefined;
  /** Time when it became the account's next nonce, by block number and monotonic clock. */
  nextInLineSince: { readonly ms: number; readonly block: number } | undefined;
  lastBroadcastMs = Number.NEGATIVE_INFINITY;
  /** Reason why the nodes rejected the newest attempt, so that it is reported once. */
  lastRefusal: string | undefined;
  /** The first block at which the nonce was used and no receipt of ours was found. */
  usedWithoutReceiptSinceBlock: number | undefined;
  usedWithoutReceiptChecks = 0;

  constructor(job: TransactionJob | null, first: StoredAttempt) {
    this.nonce = first.nonce;
    this.job = job;
    this.attempts = [first];
  }

  /** The attempt that was signed last. */
  get newest(): StoredAttempt {
    return this.attempts.at(-1) as StoredAttempt;
  }

  get isCancelling(): boolean {
    return this.newest.purpose === "cancel";
  }

  /** Adds a further transaction with the nonce. */
  add(attempt: StoredAttempt, since: { readonly ms: number; readonly block: number }): void {
    this.attempts.push(attempt);
    this.newestSentAt = since;
    this.lastRefusal = undefined;
  }

  /**
   * Clears the mined state after a reorg. The transaction is searched for, and sent again if no
   * node has it.
   */
  reopen(): void {
    this.mined = undefined;
    this.newestSentAt = undefined;
    this.nextInLineSince = undefined;
    this.usedWithoutReceiptSinceBlock = undefined;
    this.usedWithoutReceiptChecks = 0;
    this.lastBroadcastMs = Number.NEGATIVE_INFINITY;
  }

  /** Returns true once its job's deadline has passed. */
  isPastDeadline(nowMs: Ms): boolean {
    return this.job !== null && nowMs >= this.job.deadlineMs;
  }
}
