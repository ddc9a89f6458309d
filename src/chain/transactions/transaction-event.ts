import type { Hex, Ms } from "../../core/units.js";
import type { TransactionReceipt } from "../blocks/transaction-receipt.js";
import type { Revert } from "../contracts/revert.js";
import type { SendRefusalKind } from "./send-refusal.js";
import type { LaneId, TransactionJob } from "./transaction-job.js";

/** Why a job was given up before anything was sent. No nonce was used. */
export type RefusalReason =
  /** The simulation reverted. A `lost-race` is no error. */
  | { readonly kind: "revert"; readonly revert: Revert }
  /** Even the next block's base fee with the least tip costs more than `maxCostWei`. Fees in wei a unit of gas. */
  | { readonly kind: "too-costly"; readonly neededFeeWei: bigint; readonly ceilingFeeWei: bigint }
  /** The account cannot pay it beside what it has in flight. */
  | { readonly kind: "insufficient-funds"; readonly neededWei: bigint; readonly balanceWei: bigint }
  | { readonly kind: "deadline" }
  /** No RPC could be asked or believed. */
  | { readonly kind: "unavailable"; readonly text: string }
  /** It was taken back before it was sent. */
  | { readonly kind: "asked" }
  /** The lanes were closed before it was sent. */
  | { readonly kind: "closed" }
  /** It could not be stored, and so was not sent. */
  | { readonly kind: "store"; readonly text: string };

/** One signed transaction. Fees are wei a unit of gas. */
export interface Attempt {
  readonly nonce: number;
  readonly hash: Hex;
  /** `act` is the job's call; `cancel` sends nothing to oneself at the job's nonce; `fill` does so at a nonce that nobody uses. */
  readonly purpose: "act" | "cancel" | "fill";
  readonly gasLimit: bigint;
  readonly maxFeeWei: bigint;
  readonly tipWei: bigint;
}

/** How a job ended. */
export type JobOutcome =
  | { readonly kind: "refused"; readonly reason: RefusalReason }
  /** The call was carried out. */
  | { readonly kind: "mined"; readonly nonce: number; readonly receipt: TransactionReceipt }
  /** It is in a block and was undone there: gas is paid, nothing else happened. */
  | {
      readonly kind: "reverted";
      readonly nonce: number;
      readonly receipt: TransactionReceipt;
      readonly revert: Revert;
    }
  /** The cancel was mined in its place. */
  | { readonly kind: "cancelled"; readonly nonce: number; readonly receipt: TransactionReceipt }
  /** A transaction that is none of ours has its nonce: the key is in use elsewhere. The job can never be carried out. */
  | { readonly kind: "foreign"; readonly nonce: number };

/** What happened to a job, in the order that it happened in. */
export type JobEvent =
  /** The same call as will be sent went through. */
  | { readonly kind: "simulated"; readonly result: Hex; readonly gasLimit: bigint }
  /** Ends the job before anything was sent; `final` follows. */
  | { readonly kind: "refused"; readonly reason: RefusalReason }
  /** Signed, stored and handed over for the first time. A hash is no mined transaction. */
  | { readonly kind: "sent"; readonly attempt: Attempt }
  /** The same call at higher fees. */
  | { readonly kind: "replaced"; readonly attempt: Attempt; readonly replacedHash: Hex }
  /** A cancel was sent, or sent again at higher fees. Which one is mined is not known yet. */
  | {
      readonly kind: "cancelling";
      readonly attempt: Attempt;
      readonly why: "deadline" | "ceiling" | "asked";
    }
  /** The nodes had forgotten the transaction: the same bytes again. */
  | { readonly kind: "resent"; readonly attempt: Attempt }
  /** No node took what was handed over; it goes on being looked after. */
  | {
      readonly kind: "not-taken";
      readonly attempt: Attempt;
      readonly why: SendRefusalKind;
      readonly text: string;
    }
  /** In a block; of `reverted` and `cancelled` too this is not yet the end. */
  | Extract<JobOutcome, { readonly kind: "mined" | "reverted" | "cancelled" }>
  /** Its block is not part of the chain any more. */
  | {
      readonly kind: "unmined";
      readonly nonce: number;
      readonly hash: Hex;
      readonly blockNumber: number;
      readonly blockHash: Hex;
    }
  /** The end, and its lane is free. Exactly one a job, but for one that is `undone`. */
  | { readonly kind: "final"; readonly outcome: JobOutcome }
  /** A reorganisation deeper than `confirmations` has taken the end back: the job is followed again, to another `final`. */
  | { readonly kind: "undone"; readonly nonce: number; readonly outcome: JobOutcome };

/** What happened to the lanes as a whole. */
export type AccountNonceEvent =
  /** Nonces, both ends included, were used by nothing of ours: the key is in use elsewhere. */
  | { readonly kind: "foreign-nonces"; readonly from: number; readonly to: number }
  /** A nonce that nobody used lay below ours, and was filled by a transfer of nothing to oneself. */
  | { readonly kind: "gap-filled"; readonly attempt: Attempt }
  /** Something could not be asked; it is tried again at the next look. */
  | { readonly kind: "trouble"; readonly text: string }
  /** The store failed: nothing new is sent any more until a restart. What is in flight is only watched. */
  | { readonly kind: "fault"; readonly text: string };

/** What happened in the lanes, at an instant of the clock's wall time. */
export type TransactionEvent = { readonly atMs: Ms } & (
  | ({ readonly jobId: string; readonly lane: LaneId } & JobEvent)
  | AccountNonceEvent
);

/** What is known of a job. */
export interface JobReport {
  readonly jobId: string;
  /** Undefined of one that ended before the last restart. */
  readonly job: TransactionJob | undefined;
  /** `starting`: nothing is sent yet. `cancelling`: a cancel was sent; which one is mined is not known yet. */
  readonly state: "starting" | "pending" | "cancelling" | "mined" | "final";
  /** Every transaction of its nonce, oldest first; empty of one that has ended. */
  readonly attempts: readonly Attempt[];
  /** Of one that has ended. */
  readonly outcome: JobOutcome | undefined;
}

/** What one nonce of the account is for, or was. */
export interface NonceReport {
  readonly nonce: number;
  /** Of the transaction that is mined, or that was sent last. */
  readonly by: "job" | "cancel" | "fill" | "foreign";
  readonly jobId: string | undefined;
  /** Of the transaction that is mined, or that was sent last; undefined of foreign ones. */
  readonly hash: Hex | undefined;
  readonly state: "pending" | "mined" | "final";
}
