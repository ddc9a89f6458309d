import { nextBaseFeeWei } from "../blocks/block-header.js";
import type { AccountReader } from "./account-reader.js";
import { firstFees } from "./fees.js";
import type { NonceSlot } from "./nonce-slot.js";
import { type ChainView, type NonceTracker, TRANSFER_GAS } from "./nonce-tracker.js";
import type { TransactionLedger } from "./store/transaction-ledger.js";
import type { TransactionSettings } from "./transaction-settings.js";

/** Parts that fill nonce gaps. */
export interface GapFillerDeps {
  readonly settings: TransactionSettings;
  readonly ledger: TransactionLedger;
  readonly account: AccountReader;
  readonly keeper: NonceTracker;
  /** Returns true once nothing more may be signed. */
  readonly isStopped: () => boolean;
  /** Called when the store fails. */
  readonly onStoreFailure: (error: unknown) => void;
}

/**
 * Fills an unused nonce below ours with an empty transfer to the own account. Without it, our
 * transactions would wait forever.
 */
export class GapFiller {
  readonly #ports: GapFillerDeps;
  #since: { readonly nonce: number; readonly ms: number } | undefined;

  constructor(ports: GapFillerDeps) {
    this.#ports = ports;
  }

  /**
   * @throws ChainUnavailable, RpcFailure, FormatError when the chain cannot be read; the next poll
   * continues.
   */
  async fillIfStuck({ head, count }: ChainView): Promise<void> {
    const { settings, ledger, account, keeper, isStopped, onStoreFailure } = this.#ports;
    const { clock, stuckMs, fees: policy, maxFillCostWei } = settings;
    const lowest = ledger.slots.find(({ nonce }) => nonce >= count)?.nonce;
    if (isStopped() || lowest === undefined || lowest === count) {
      this.#since = undefined;
      return;
    }
    if (this.#since?.nonce !== count) this.#since = { nonce: count, ms: clock.monotonicMs() };
    if (clock.monotonicMs() - this.#since.ms < stuckMs || (await account.count("pending")) > count)
      return;
    const fees = firstFees(nextBaseFeeWei(head), policy, maxFillCostWei / TRANSFER_GAS);
    if (fees === undefined || isStopped()) return;
    let slot: NonceSlot;
    try {
      slot = ledger.open(null, keeper.sign(count, null, "fill", TRANSFER_GAS, fees));
    } catch (error) {
      return onStoreFailure(error);
    }
    await keeper.broadcast(slot);
  }
}
