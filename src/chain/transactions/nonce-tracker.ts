import { type BlockHeader, nextBaseFeeWei } from "../blocks/block-header.js";
import type { CanonicalChain } from "../blocks/canonical-chain.js";
import { type TransactionReceipt, wantedReceiptOf } from "../blocks/transaction-receipt.js";
import { bytesOf, fieldsOf } from "../rpc/rpc-values.js";
import { handOver } from "./broadcast-transaction.js";
import { signTransaction } from "./fee-transaction.js";
import { bumpedFees, type Fees } from "./fees.js";
import type { LaneSlot } from "./nonce-slot.js";
import { whyReverted } from "./simulation.js";
import type { LaneLedger } from "./store/transaction-ledger.js";
import type { StoredAttempt } from "./store/transaction-store.js";
import type { Attempt, JobEvent, JobOutcome, LanesOwnEvent } from "./transaction-event.js";
import type { LaneJob } from "./transaction-job.js";
import type { LaneSettings } from "./transaction-settings.js";

/** Gas of a transfer without data to an account without code. */
export const TRANSFER_GAS = 21_000n;

/** How the lanes look from one nonce. */
export interface KeeperPorts {
  readonly settings: LaneSettings;
  readonly ledger: LaneLedger;
  readonly chain: CanonicalChain;
  /** Whether the lanes were closed: nothing is signed any more. */
  readonly isClosed: () => boolean;
  /** Whether the store failed: nothing that is not stored yet is sent any more. */
  readonly isFaulty: () => boolean;
  readonly tell: (job: LaneJob | null, event: JobEvent) => void;
  readonly tellLanes: (event: LanesOwnEvent) => void;
  /** The store failed. */
  readonly fault: (error: unknown) => void;
}

/** What one look at the chain found, before any nonce is looked at. */
export interface ChainView {
  readonly head: BlockHeader;
  /** Transactions of the account up to the head: the next nonce to be mined. */
  readonly count: number;
}

/** Sees each nonce through: waits, sends again, replaces, cancels, and follows it into its block and out of it. */
export class SlotKeeper {
  readonly #ports: KeeperPorts;

  constructor(ports: KeeperPorts) {
    this.#ports = ports;
  }

  /**
   * One step of one nonce.
   * @throws ChainUnavailable, RpcFailure, FormatError when the chain cannot be read; the next look goes on from there.
   */
  async attend(slot: LaneSlot, view: ChainView): Promise<void> {
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
    slot.passedAt = undefined;
    slot.passedTimes = 0;
    if (slot.handing === 0 && !this.#ports.isClosed()) await this.#attendPending(slot, view);
  }

  /** Signs the transaction of a nonce and stores it: the bytes that are sent. Fees in wei a unit of gas. */
  sign(
    nonce: number,
    job: LaneJob | null,
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

  /** Hands the newest transaction over. Never rejects for what nodes say: that is an event. */
  async hand(slot: LaneSlot): Promise<void> {
    const { settings, tell, isClosed } = this.#ports;
    const attempt = slot.newest;
    slot.handing += 1;
    slot.handedAtMs = settings.clock.monotonicMs();
    const handover = await handOver(settings.rpc, attempt).finally(() => {
      slot.handing -= 1;
    });
    slot.handedAtMs = settings.clock.monotonicMs();
    if (isClosed() || slot.newest !== attempt) return;
    const said = handover.isTaken ? undefined : handover.why;
    if (!handover.isTaken && said !== slot.notTaken) {
      tell(slot.job, {
        kind: "not-taken",
        attempt: plain(attempt),
        why: handover.why,
        text: handover.text,
      });
    }
    slot.notTaken = said;
  }

  /** Its nonce is in a block: by which transaction? */
  async #attendUsed(slot: LaneSlot, { head }: ChainView): Promise<void> {
    const { chain, settings } = this.#ports;
    const found = await this.receipt(slot, head.number);
    if (found === undefined) {
      // One RPC may know a count before another knows the receipt: only time tells that it is nobody's of ours.
      slot.passedAt ??= head.number;
      slot.passedTimes += 1;
      const isDeep = head.number - slot.passedAt + 1 >= settings.confirmations;
      if (isDeep && slot.passedTimes > 2)
        this.#finish(slot, { kind: "foreign", nonce: slot.nonce }, head);
      return;
    }
    const { attempt, receipt } = found;
    const block = await chain.blockAt(receipt.blockNumber);
    if (block?.hash !== receipt.blockHash) return;
    const { job } = slot;
    const revert =
      receipt.isReverted && attempt.purpose === "act" && job !== null
        ? await whyReverted(settings.rpc, settings.signer.address, job, attempt, receipt)
        : undefined;
    slot.mined = { attempt, receipt: { ...receipt, blockTimeMs: block.timestampMs }, revert };
    const outcome = outcomeOf(slot);
    if (outcome !== null && outcome.kind !== "foreign" && outcome.kind !== "refused")
      this.#ports.tell(job, outcome);
    if (head.number - receipt.blockNumber + 1 >= settings.confirmations)
      this.#finish(slot, outcome, head);
  }

  async #attendPending(slot: LaneSlot, view: ChainView): Promise<void> {
    const { settings, isFaulty } = this.#ports;
    const here = { ms: settings.clock.monotonicMs(), block: view.head.number };
    slot.since ??= here;
    slot.nextSince = slot.nonce === view.count ? (slot.nextSince ?? here) : undefined;
    const isStuck =
      slot.nextSince !== undefined &&
      this.#waited(slot.since, here) &&
      this.#waited(slot.nextSince, here);
    if (!isFaulty()) {
      const isUnwanted = slot.isCancelAsked || slot.isLate(settings.clock.nowMs());
      if (isUnwanted && slot.newest.purpose === "act")
        return this.#cancel(slot, view, slot.isCancelAsked ? "asked" : "deadline");
      if (isStuck && (await this.#raise(slot, view))) return;
    }
    if (here.ms - slot.handedAtMs < settings.resendMs || (await this.#isKnown(slot))) return;
    if (slot.notTaken === undefined)
      this.#ports.tell(slot.job, { kind: "resent", attempt: plain(slot.newest) });
    await this.hand(slot);
  }

  #waited(
    since: { readonly ms: number; readonly block: number },
    now: { readonly ms: number; readonly block: number },
  ): boolean {
    const { stuckBlocks, stuckMs } = this.#ports.settings;
    const blocks = now.block - since.block;
    return blocks >= stuckBlocks || (blocks >= 1 && now.ms - since.ms >= stuckMs);
  }

  /** Pays more for what is stuck; at its ceiling it is cancelled. @returns false when nothing more can be paid. */
  async #raise(slot: LaneSlot, view: ChainView): Promise<boolean> {
    const { newest, job } = slot;
    if (newest.purpose === "act" && job !== null) {
      const fees = this.#bumped(newest, view, ceilingFeeOf(job, newest.gasLimit));
      if (fees === undefined) {
        await this.#cancel(slot, view, "ceiling");
        return slot.isCancelling;
      }
      const next = this.sign(slot.nonce, job, "act", newest.gasLimit, fees);
      return this.#send(slot, next, view, {
        kind: "replaced",
        attempt: plain(next),
        replacedHash: newest.hash,
      });
    }
    const fees = this.#bumped(newest, view, this.#transferCeiling(job));
    if (fees === undefined) return false;
    const next = this.sign(slot.nonce, job, newest.purpose, TRANSFER_GAS, fees);
    const why = slot.isCancelAsked
      ? "asked"
      : slot.isLate(this.#ports.settings.clock.nowMs())
        ? "deadline"
        : "ceiling";
    return this.#send(
      slot,
      next,
      view,
      job === null ? undefined : { kind: "cancelling", attempt: plain(next), why },
    );
  }

  async #cancel(
    slot: LaneSlot,
    view: ChainView,
    why: "deadline" | "ceiling" | "asked",
  ): Promise<void> {
    const { newest, job } = slot;
    const fees = this.#bumped(newest, view, this.#transferCeiling(job));
    if (fees === undefined) return;
    const next = this.sign(slot.nonce, job, "cancel", TRANSFER_GAS, fees);
    await this.#send(slot, next, view, { kind: "cancelling", attempt: plain(next), why });
  }

  #bumped(newest: Attempt, { head }: ChainView, ceilingFeeWei: bigint): Fees | undefined {
    return bumpedFees(newest, nextBaseFeeWei(head), this.#ports.settings.fees, ceilingFeeWei);
  }

  /** What a transfer of nothing may pay at most, wei a unit of gas. */
  #transferCeiling(job: LaneJob | null): bigint {
    return (job?.maxCostWei ?? this.#ports.settings.maxFillCostWei) / TRANSFER_GAS;
  }

  async #send(
    slot: LaneSlot,
    next: StoredAttempt,
    { head }: ChainView,
    event: JobEvent | undefined,
  ): Promise<boolean> {
    const { ledger, settings, tell, fault } = this.#ports;
    try {
      ledger.extend(slot, next, { ms: settings.clock.monotonicMs(), block: head.number });
    } catch (error) {
      fault(error);
      return false;
    }
    if (event !== undefined) tell(slot.job, event);
    await this.hand(slot);
    return true;
  }

  /** Whether a node still has any of its transactions. */
  async #isKnown(slot: LaneSlot): Promise<boolean> {
    const { rpc } = this.#ports.settings;
    const isThere = ({ hash }: Attempt) =>
      rpc.request(
        "eth_getTransactionByHash",
        [hash],
        (found) =>
          found !== null &&
          bytesOf(fieldsOf(found, "transaction").hash, "transaction.hash", 32) === hash,
      );
    return (await Promise.all(slot.attempts.map(isThere))).some((isKnown) => isKnown);
  }

  /** Which of its transactions is in a block; undefined when none is, as far as the nodes know. @throws as {@link SlotKeeper.attend}. */
  async receipt(
    slot: LaneSlot,
    atBlock: number,
  ): Promise<
    { readonly attempt: StoredAttempt; readonly receipt: TransactionReceipt } | undefined
  > {
    const { rpc, checkReceipt } = this.#ports.settings;
    const { job } = slot;
    const found = await Promise.all(
      slot.attempts.map(async (attempt) => {
        const read = (result: unknown) => {
          const receipt = wantedReceiptOf(result, attempt.hash);
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

  #unmine(slot: LaneSlot): void {
    const { mined, job, nonce } = slot;
    slot.reopen();
    if (mined === undefined || job === null) return;
    const { hash, blockNumber, blockHash } = mined.receipt;
    this.#ports.tell(job, { kind: "unmined", nonce, hash, blockNumber, blockHash });
  }

  #finish(slot: LaneSlot, outcome: JobOutcome | null, { number }: BlockHeader): void {
    const { ledger, fault, tell, tellLanes } = this.#ports;
    try {
      ledger.finish(slot, outcome, number);
    } catch (error) {
      fault(error);
    }
    if (outcome !== null) tell(slot.job, { kind: "final", outcome });
    else tellLanes({ kind: "gap-filled", attempt: plain(slot.mined?.attempt ?? slot.newest) });
  }
}

/**
 * The highest fee of the job's own call, wei a unit of gas. A cancel pays more a unit than what it replaces; for a call of hardly any
 * gas that would come to more than the call itself, so that room is left for it.
 */
export function ceilingFeeOf({ maxCostWei }: LaneJob, gasLimit: bigint): bigint {
  const forCancel = 2n * TRANSFER_GAS;
  return maxCostWei / (gasLimit > forCancel ? gasLimit : forCancel);
}

/** An attempt without the bytes. */
export function plain({
  nonce,
  hash,
  purpose,
  gasLimit,
  maxFeeWei,
  tipWei,
}: StoredAttempt): Attempt {
  return { nonce, hash, purpose, gasLimit, maxFeeWei, tipWei };
}

/** What a mined slot's job came to; null for one without a job. */
function outcomeOf({ job, mined, nonce }: LaneSlot): JobOutcome | null {
  if (job === null || mined === undefined) return null;
  const { attempt, receipt, revert } = mined;
  if (attempt.purpose !== "act") return { kind: "cancelled", nonce, receipt };
  return revert === undefined
    ? { kind: "mined", nonce, receipt }
    : { kind: "reverted", nonce, receipt, revert };
}
