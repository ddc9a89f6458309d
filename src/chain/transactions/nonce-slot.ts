import type { Ms } from "../../core/units.js";
import type { TransactionReceipt } from "../blocks/transaction-receipt.js";
import type { Revert } from "../contracts/revert.js";
import type { StoredAttempt } from "./store/transaction-store.js";
import type { TransactionJob } from "./transaction-job.js";

/** A transaction of a slot that is in a block. */
export interface MinedAttempt {
  readonly attempt: StoredAttempt;
  readonly receipt: TransactionReceipt;
  /** Of one that was undone there. */
  readonly revert: Revert | undefined;
}

/** One nonce that something of ours was signed for, until its end. */
export class NonceSlot {
  readonly nonce: number;
  /** Null for a nonce that is only filled. */
  readonly job: TransactionJob | null;
  /** Oldest first; each pays more than the one before. */
  readonly attempts: StoredAttempt[];
  mined: MinedAttempt | undefined;
  /** Somebody wants it cancelled. */
  isCancelRequested = false;
  /** Hand-overs under way. */
  broadcastsInProgress = 0;
  /** When, by the steady clock and by number, the newest attempt was handed over first. Undefined after a restart until it is looked at. */
  newestSentAt: { readonly ms: number; readonly block: number } | undefined;
  /** When it became the account's next nonce, by number and steady clock. */
  nextInLineSince: { readonly ms: number; readonly block: number } | undefined;
  lastBroadcastMs = Number.NEGATIVE_INFINITY;
  /** Why the nodes did not take the newest attempt, so that it is told once. */
  lastRefusal: string | undefined;
  /** The first block at which the nonce was used and no receipt of ours was found. */
  usedWithoutReceiptSinceBlock: number | undefined;
  usedWithoutReceiptChecks = 0;

  constructor(job: TransactionJob | null, first: StoredAttempt) {
    this.nonce = first.nonce;
    this.job = job;
    this.attempts = [first];
  }

  /** The one that was signed last. */
  get newest(): StoredAttempt {
    return this.attempts.at(-1) as StoredAttempt;
  }

  get isCancelling(): boolean {
    return this.newest.purpose === "cancel";
  }

  /** A further transaction with the nonce. */
  add(attempt: StoredAttempt, since: { readonly ms: number; readonly block: number }): void {
    this.attempts.push(attempt);
    this.newestSentAt = since;
    this.lastRefusal = undefined;
  }

  /** What is known of where it was mined is no more; it is looked for, and sent again where nobody has it. */
  reopen(): void {
    this.mined = undefined;
    this.newestSentAt = undefined;
    this.nextInLineSince = undefined;
    this.usedWithoutReceiptSinceBlock = undefined;
    this.usedWithoutReceiptChecks = 0;
    this.lastBroadcastMs = Number.NEGATIVE_INFINITY;
  }

  /** Whether its job's time is up. */
  isPastDeadline(nowMs: Ms): boolean {
    return this.job !== null && nowMs >= this.job.deadlineMs;
  }
}
