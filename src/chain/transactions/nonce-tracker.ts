import { type BlockHeader, nextBaseFeeWei } from "../blocks/block-header.js";
import type { CanonicalChain } from "../blocks/canonical-chain.js";
import { parseRequestedReceipt, type TransactionReceipt } from "../blocks/transaction-receipt.js";
import { parseBytes, parseObject } from "../rpc/rpc-values.js";
import { broadcastTransaction } from "./broadcast-transaction.js";
import { signTransaction } from "./fee-transaction.js";
import { bumpedFees, type Fees } from "./fees.js";
import type { NonceSlot } from "./nonce-slot.js";
import { findRevertReason } from "./simulation.js";
import type { TransactionLedger } from "./store/transaction-ledger.js";
import type { StoredAttempt } from "./store/transaction-store.js";
import type { AccountNonceEvent, Attempt, JobEvent, JobOutcome } from "./transaction-event.js";
import type { TransactionJob } from "./transaction-job.js";
import type { TransactionSettings } from "./transaction-settings.js";

/** Gas of a transfer without data to an account without code. */
export const TRANSFER_GAS = 21_000n;

/** Parts of the transaction manager that a nonce needs. */
export interface NonceTrackerDeps {
  readonly settings: TransactionSettings;
  readonly ledger: TransactionLedger;
  readonly chain: CanonicalChain;
  /** Returns true once the manager is closed: nothing more is signed. */
  readonly isClosed: () => boolean;
  /** Returns true once the store has failed: nothing that is not stored yet is sent. */
  readonly isFaulty: () => boolean;
  readonly emitJobEvent: (job: TransactionJob | null, event: JobEvent) => void;
  readonly emitNonceEvent: (event: AccountNonceEvent) => void;
  /** Called when the store fails. */
  readonly onStoreFailure: (error: unknown) => void;
}

/** Result of one poll of the chain, before any nonce is checked. */
export interface ChainView {
  readonly head: BlockHeader;
  /** Transactions of the account up to the head: the next nonce to be mined. */
  readonly count: number;
}

/**
 * Follows each nonce until its outcome is final: waits, sends again, replaces, cancels, and handles
 * its block and reorgs.
 */
export class NonceTracker {
  readonly #ports: NonceTrackerDeps;

  constructor(ports: NonceTrackerDeps) {
    this.#ports = ports;
  }

  /**
   * Advances one nonce by one step.
   * @throws ChainUnavailable, RpcFailure, FormatError when the chain cannot be read; the next poll
   * continues.
   */
  async track(slot: NonceSlot, view: ChainView): Promise<void> {
    const { chain, settings } = this.#ports;
    if (slot.mined !== undefined) {
      const { blockNumber, blockHash } = slot.mined.receipt;
      if ((await chain.blockAt(blockNumber))?.hash === blockHash) {
        if (view.head.number - blockNumber + 1 >= settings.confirmations)
          this.#finish(slot, outcomeOf(slot), view.head);
        return;
      }
      this.#unmine(slot);
    }
    if (view.count > slot.nonce) return this.#attendUsed(slot, view);
    slot.usedWithoutReceiptSinceBlock = undefined;
    slot.usedWithoutReceiptChecks = 0;
    if (slot.broadcastsInProgress === 0 && !this.#ports.isClosed())
      await this.#attendPending(slot, view);
  }

  /** Signs the transaction of a nonce and stores the bytes to send. Fees in wei per unit of gas. */
  sign(
    nonce: number,
    job: TransactionJob | null,
    purpose: Attempt["purpose"],
    gasLimit: bigint,
    fees: Fees,
  ): StoredAttempt {
    const { chainId, signer, clock } = this.#ports.settings;
    const isAct = purpose === "act" && job !== null;
    const transaction = {
      chainId,
      nonce,
      gasLimit,
      ...fees,
      to: isAct ? job.to : signer.address,
      valueWei: isAct ? (job.valueWei ?? 0n) : 0n,
      data: isAct ? job.data : "0x",
    };
    return {
      nonce,
      purpose,
      gasLimit,
      ...fees,
      ...signTransaction(transaction, signer),
      atMs: clock.nowMs(),
    };
  }

  /** Broadcasts the newest transaction. Never rejects for a node's response: that is an event. */
  async broadcast(slot: NonceSlot): Promise<void> {
    const { settings, emitJobEvent, isClosed } = this.#ports;
    const attempt = slot.newest;
    slot.broadcastsInProgress += 1;
    slot.lastBroadcastMs = settings.clock.monotonicMs();
    const handover = await broadcastTransaction(settings.rpc, attempt).finally(() => {
      slot.broadcastsInProgress -= 1;
    });
    slot.lastBroadcastMs = settings.clock.monotonicMs();
    if (isClosed() || slot.newest !== attempt) return;
    const refusal = handover.isAccepted ? undefined : handover.refusal;
    if (!handover.isAccepted && refusal !== slot.lastRefusal) {
      emitJobEvent(slot.job, {
        kind: "not-taken",
        attempt: withoutRawBytes(attempt),
        why: handover.refusal,
        text: handover.text,
      });
    }
    slot.lastRefusal = refusal;
  }

  /** Its nonce is in a block: finds out by which transaction. */
  async #attendUsed(slot: NonceSlot, { head }: ChainView): Promise<void> {
    const { chain, settings } = this.#ports;
    const found = await this.receipt(slot, head.number);
    if (found === undefined) {
      // One RPC may know a count before another knows the receipt. Only time shows that the
      // transaction is not ours.
      slot.usedWithoutReceiptSinceBlock ??= head.number;
      slot.usedWithoutReceiptChecks += 1;
      const isDeep = head.number - slot.usedWithoutReceiptSinceBlock + 1 >= settings.confirmations;
      if (isDeep && slot.usedWithoutReceiptChecks > 2)
        this.#finish(slot, { kind: "foreign", nonce: slot.nonce }, head);
      return;
    }
    const { attempt, receipt } = found;
    const block = await chain.blockAt(receipt.blockNumber);
    if (block?.hash !== receipt.blockHash) return;
    const { job } = slot;
    const revert =
      receipt.isReverted && attempt.purpose === "act" && job !== null
        ? await findRevertReason(settings.rpc, settings.signer.address, job, attempt, receipt)
        : undefined;
    slot.mined = { attempt, receipt: { ...receipt, blockTimeMs: block.timestampMs }, revert };
    const outcome = outcomeOf(slot);
    if (outcome !== null && outcome.kind !== "foreign" && outcome.kind !== "refused")
      this.#ports.emitJobEvent(job, outcome);
    if (head.number - receipt.blockNumber + 1 >= settings.confirmations)
      this.#finish(slot, outcome, head);
  }

  async #attendPending(slot: NonceSlot, view: ChainView): Promise<void> {
    const { settings, isFaulty } = this.#ports;
    const here = { ms: settings.clock.monotonicMs(), block: view.head.number };
    slot.newestSentAt ??= here;
    slot.nextInLineSince = slot.nonce === view.count ? (slot.nextInLineSince ?? here) : undefined;
    const isStuck =
      slot.nextInLineSince !== undefined &&
      this.#waited(slot.newestSentAt, here) &&
      this.#waited(slot.nextInLineSince, here);
    if (!isFaulty()) {
      const isUnwanted = slot.isCancelRequested || slot.isPastDeadline(settings.clock.nowMs());
      if (isUnwanted && slot.newest.purpose === "act")
        return this.#cancel(slot, view, slot.isCancelRequested ? "asked" : "deadline");
      if (isStuck && (await this.#raise(slot, view))) return;
    }
    if (here.ms - slot.lastBroadcastMs < settings.resendMs || (await this.#isKnown(slot))) return;
    if (slot.lastRefusal === undefined)
      this.#ports.emitJobEvent(slot.job, { kind: "resent", attempt: withoutRawBytes(slot.newest) });
    await this.broadcast(slot);
  }

  #waited(
    since: { readonly ms: number; readonly block: number },
    now: { readonly ms: number; readonly block: number },
  ): boolean {
    const { stuckBlocks, stuckMs } = this.#ports.settings;
    const blocks = now.block - since.block;
    return blocks >= stuckBlocks || (blocks >= 1 && now.ms - since.ms >= stuckMs);
  }

  /**
   * Raises the fees of a stuck transaction; cancels it at its ceiling. @returns false when nothing
   * more can be paid.
   */
  async #raise(slot: NonceSlot, view: ChainView): Promise<boolean> {
    const { newest, job } = slot;
    if (newest.purpose === "act" && job !== null) {
      const fees = this.#bumped(newest, view, computeCeilingFee(job, newest.gasLimit));
      if (fees === undefined) {
        await this.#cancel(slot, view, "ceiling");
        return slot.isCancelling;
      }
      const next = this.sign(slot.nonce, job, "act", newest.gasLimit, fees);
      return this.#send(slot, next, view, {
        kind: "replaced",
        attempt: withoutRawBytes(next),
        replacedHash: newest.hash,
      });
    }
    const fees = this.#bumped(newest, view, this.#transferCeiling(job));
    if (fees === undefined) return false;
    const next = this.sign(slot.nonce, job, newest.purpose, TRANSFER_GAS, fees);
    const why = slot.isCancelRequested
      ? "asked"
      : slot.isPastDeadline(this.#ports.settings.clock.nowMs())
        ? "deadline"
        : "ceiling";
    return this.#send(
      slot,
      next,
      view,
      job === null ? undefined : { kind: "cancelling", attempt: withoutRawBytes(next), why },
    );
  }

  async #cancel(
    slot: NonceSlot,
    view: ChainView,
    why: "deadline" | "ceiling" | "asked",
  ): Promise<void> {
    const { newest, job } = slot;
    const fees = this.#bumped(newest, view, this.#transferCeiling(job));
    if (fees === undefined) return;
    const next = this.sign(slot.nonce, job, "cancel", TRANSFER_GAS, fees);
    await this.#send(slot, next, view, { kind: "cancelling", attempt: withoutRawBytes(next), why });
  }

  #bumped(newest: Attempt, { head }: ChainView, ceilingFeeWei: bigint): Fees | undefined {
    return bumpedFees(newest, nextBaseFeeWei(head), this.#ports.settings.fees, ceilingFeeWei);
  }

  /** Highest fee of an empty transfer, wei per unit of gas. */
  #transferCeiling(job: TransactionJob | null): bigint {
    return (job?.maxCostWei ?? this.#ports.settings.maxFillCostWei) / TRANSFER_GAS;
  }

  async #send(
    slot: NonceSlot,
    next: StoredAttempt,
    { head }: ChainView,
    event: JobEvent | undefined,
  ): Promise<boolean> {
    const { ledger, settings, emitJobEvent, onStoreFailure } = this.#ports;
    try {
      ledger.extend(slot, next, { ms: settings.clock.monotonicMs(), block: head.number });
    } catch (error) {
      onStoreFailure(error);
      return false;
    }
    if (event !== undefined) emitJobEvent(slot.job, event);
    await this.broadcast(slot);
    return true;
  }

  /** Returns true if a node still has any of its transactions. */
  async #isKnown(slot: NonceSlot): Promise<boolean> {
    const { rpc } = this.#ports.settings;
    const isThere = ({ hash }: Attempt) =>
      rpc.request(
        "eth_getTransactionByHash",
        [hash],
        (found) =>
          found !== null &&
          parseBytes(parseObject(found, "transaction").hash, "transaction.hash", 32) === hash,
      );
    return (await Promise.all(slot.attempts.map(isThere))).some((isKnown) => isKnown);
  }

  /**
   * The receipt of its transaction that is in a block; undefined when the nodes know of none.
   * @throws as {@link NonceTracker.track}.
   */
  async receipt(
    slot: NonceSlot,
    atBlock: number,
  ): Promise<
    { readonly attempt: StoredAttempt; readonly receipt: TransactionReceipt } | undefined
  > {
    const { rpc, checkReceipt } = this.#ports.settings;
    const { job } = slot;
    const found = await Promise.all(
      slot.attempts.map(async (attempt) => {
        const read = (result: unknown) => {
          const receipt = parseRequestedReceipt(result, attempt.hash);
          if (receipt?.isReverted === false && job !== null && attempt.purpose === "act")
            checkReceipt(receipt, job);
          return receipt;
        };
        const receipt = await rpc.request("eth_getTransactionReceipt", [attempt.hash], read, {
          atBlock,
        });
        return receipt === null ? [] : [{ attempt, receipt }];
      }),
    );
    return found.flat()[0];
  }

  #unmine(slot: NonceSlot): void {
    const { mined, job, nonce } = slot;
    slot.reopen();
    if (mined === undefined || job === null) return;
    const { hash, blockNumber, blockHash } = mined.receipt;
    this.#ports.emitJobEvent(job, { kind: "unmined", nonce, hash, blockNumber, blockHash });
  }

  #finish(slot: NonceSlot, outcome: JobOutcome | null, { number }: BlockHeader): void {
    const { ledger, onStoreFailure, emitJobEvent, emitNonceEvent } = this.#ports;
    try {
      ledger.finish(slot, outcome, number);
    } catch (error) {
      onStoreFailure(error);
    }
    if (outcome !== null) emitJobEvent(slot.job, { kind: "final", outcome });
    else
      emitNonceEvent({
        kind: "gap-filled",
        attempt: withoutRawBytes(slot.mined?.attempt ?? slot.newest),
      });
  }
}

/**
 * The highest fee of the job's own call, wei per unit of gas. A cancel pays more per unit than the
 * transaction it replaces. For a call of very little gas that would exceed the cost of the call
 * itself, so the ceiling leaves room for it.
 */
export function computeCeilingFee({ maxCostWei }: TransactionJob, gasLimit: bigint): bigint {
  const forCancel = 2n * TRANSFER_GAS;
  return maxCostWei / (gasLimit > forCancel ? gasLimit : forCancel);
}

/** Returns an attempt without the signed bytes. */
export function withoutRawBytes({
  nonce,
  hash,
  purpose,
  gasLimit,
  maxFeeWei,
  tipWei,
}: StoredAttempt): Attempt {
  return { nonce, hash, purpose, gasLimit, maxFeeWei, tipWei };
}

/** The outcome of a mined slot's job; null for a slot without a job. */
function outcomeOf({ job, mined, nonce }: NonceSlot): JobOutcome | null {
  if (job === null || mined === undefined) return null;
  const { attempt, receipt, revert } = mined;
  if (attempt.purpose !== "act") return { kind: "cancelled", nonce, receipt };
  return revert === undefined
    ? { kind: "mined", nonce, receipt }
    : { kind: "reverted", nonce, receipt, revert };
}
