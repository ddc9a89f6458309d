import type { Hex, Ms } from "../../core/units.js";
import type { TransactionReceipt } from "../blocks/transaction-receipt.js";
import type { Revert } from "../contracts/revert.js";
import type { SendRefusalKind } from "./send-refusal.js";
import type { LaneId, TransactionJob } from "./transaction-job.js";

/** Reason why a job was given up before anything was sent. No nonce was used. */
export type RefusalReason =
  /** The simulation reverted. A `lost-race` is not an error. */
  | { readonly kind: "revert"; readonly revert: Revert }
  /**
   * Even the next block's base fee with the least tip costs more than `maxCostWei`. Fees in wei per
   * unit of gas.
   */
  | { readonly kind: "too-costly"; readonly neededFeeWei: bigint; readonly ceilingFeeWei: bigint }
  /** The account cannot pay it in addition to what it has in flight. */
  | { readonly kind: "insufficient-funds"; readonly neededWei: bigint; readonly balanceWei: bigint }
  | { readonly kind: "deadline" }
  /** No RPC could be reached or trusted. */
  | { readonly kind: "unavailable"; readonly text: string }
  /** It was cancelled before it was sent. */
  | { readonly kind: "asked" }
  /** The manager was closed before it was sent. */
  | { readonly kind: "closed" }
  /** It could not be stored, and so was not sent. */
  | { readonly kind: "store"; readonly text: string };

/** One signed transaction. Fees are wei per unit of gas. */
export interface Attempt {
  readonly nonce: number;
  readonly hash: Hex;
  /**
   * `act` is the job's call. `cancel` is an empty transfer to the own account at the job's nonce;
   * `fill` is one at an unused nonce.
   */
  readonly purpose: "act" | "cancel" | "fill";
  readonly gasLimit: bigint;
  readonly maxFeeWei: bigint;
  readonly tipWei: bigint;
}

/** The final outcome of a job. */
export type JobOutcome =
  | { readonly kind: "refused"; readonly reason: RefusalReason }
  /** The call succeeded. */
  | { readonly kind: "mined"; readonly nonce: number; readonly receipt: TransactionReceipt }
  /** It reverted in a block: gas is paid, nothing else happened. */
  | {
      readonly kind: "reverted";
      readonly nonce: number;
      readonly receipt: TransactionReceipt;
      readonly revert: Revert;
    }
  /** The cancel was mined in its place. */
  | { readonly kind: "cancelled"; readonly nonce: number; readonly receipt: TransactionReceipt }
  /**
   * A transaction that we did not send has its nonce: the key is in use elsewhere. The job can
   * never be mined.
   */
  | { readonly kind: "foreign"; readonly nonce: number };

/** Events of a job, in the order in which they happen. */
export type JobEvent =
  /** The simulation of the call that will be sent succeeded. */
  | { readonly kind: "simulated"; readonly result: Hex; readonly gasLimit: bigint }
  /** Ends the job before anything was sent; `final` follows. */
  | { readonly kind: "refused"; readonly reason: RefusalReason }
  /** Signed, stored and broadcast for the first time. A hash does not mean that it is mined. */
  | { readonly kind: "sent"; readonly attempt: Attempt }
  /** The same call at higher fees. */
  | { readonly kind: "replaced"; readonly attempt: Attempt; readonly replacedHash: Hex }
  /** A cancel was sent, or sent again at higher fees. Either transaction may still be mined. */
  | {
      readonly kind: "cancelling";
      readonly attempt: Attempt;
      readonly why: "deadline" | "ceiling" | "asked";
    }
  /** The nodes no longer had the transaction, so the same bytes were sent again. */
  | { readonly kind: "resent"; readonly attempt: Attempt }
  /** No node accepted the broadcast; it is still followed. */
  | {
      readonly kind: "not-taken";
      readonly attempt: Attempt;
      readonly why: SendRefusalKind;
      readonly text: string;
    }
  /** In a block; `reverted` and `cancelled` are not final yet either. */
  | Extract<JobOutcome, { readonly kind: "mined" | "reverted" | "cancelled" }>
  /** A reorg removed its block. */
  | {
      readonly kind: "unmined";
      readonly nonce: number;
      readonly hash: Hex;
      readonly blockNumber: number;
      readonly blockHash: Hex;
    }
  /** The final outcome; its lane is free. Exactly one for each job, except after `undone`. */
  | { readonly kind: "final"; readonly outcome: JobOutcome }
  /**
   * A reorg deeper than `confirmations` has removed the final outcome. The job is followed again,
   * to another `final`.
   */
  | { readonly kind: "undone"; readonly nonce: number; readonly outcome: JobOutcome };

/** Events of the account's nonces as a whole. */
export type AccountNonceEvent =
  /** Nonces, both ends included, were used by another process: the key is in use elsewhere. */
  | { readonly kind: "foreign-nonces"; readonly from: number; readonly to: number }
  /** An unused nonce below ours was filled by an empty transfer to the own account. */
  | { readonly kind: "gap-filled"; readonly attempt: Attempt }
  /** A request failed; the next poll repeats it. */
  | { readonly kind: "trouble"; readonly text: string }
  /** The store failed: nothing new is sent until a restart. What is in flight is only watched. */
  | { readonly kind: "fault"; readonly text: string };

/** An event of the transaction manager, at the clock's wall time. */
export type TransactionEvent = { readonly atMs: Ms } & (
  | ({ readonly jobId: string; readonly lane: LaneId } & JobEvent)
  | AccountNonceEvent
);

/** The known state of a job. */
export interface JobReport {
  readonly jobId: string;
  /** Undefined for a job that ended before the last restart. */
  readonly job: TransactionJob | undefined;
  /**
   * `starting`: nothing is sent yet. `cancelling`: a cancel was sent; either transaction may still
   * be mined.
   */
  readonly state: "starting" | "pending" | "cancelling" | "mined" | "final";
  /** Every transaction of its nonce, oldest first; empty once it has ended. */
  readonly attempts: readonly Attempt[];
  /** Set once it has ended. */
  readonly outcome: JobOutcome | undefined;
}

/** Use of one nonce of the account. */
export interface NonceReport {
  readonly nonce: number;
  /** Purpose of the mined transaction, or of the last one sent. */
  readonly by: "job" | "cancel" | "fill" | "foreign";
  readonly jobId: string | undefined;
  /** Hash of the mined transaction, or of the last one sent; undefined for another process's. */
  readonly hash: Hex | undefined;
  readonly state: "pending" | "mined" | "final";
}
