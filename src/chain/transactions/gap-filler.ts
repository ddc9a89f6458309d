import { nextBaseFeeWei } from "../blocks/block-header.js";
import type { AccountReader } from "./account-reader.js";
import { firstFees } from "./fees.js";
import type { LaneSlot } from "./nonce-slot.js";
import { type ChainView, type SlotKeeper, TRANSFER_GAS } from "./nonce-tracker.js";
import type { LaneLedger } from "./store/transaction-ledger.js";
import type { LaneSettings } from "./transaction-settings.js";

/** What gaps are filled with. */
export interface GapFillerPorts {
  readonly settings: LaneSettings;
  readonly ledger: LaneLedger;
  readonly account: AccountReader;
  readonly keeper: SlotKeeper;
  /** Whether nothing is signed any more. */
  readonly isStill: () => boolean;
  /** The store failed. */
  readonly fault: (error: unknown) => void;
}

/** A nonce below ours that nobody uses would keep ours waiting for ever: it is filled by a transfer of nothing to oneself. */
export class GapFiller {
  readonly #ports: GapFillerPorts;
  #since: { readonly nonce: number; readonly ms: number } | undefined;

  constructor(ports: GapFillerPorts) {
    this.#ports = ports;
  }

  /** @throws ChainUnavailable, RpcFailure, FormatError when the chain cannot be read; the next look goes on from there. */
  async look({ head, count }: ChainView): Promise<void> {
    const { settings, ledger, account, keeper, isStill, fault } = this.#ports;
    const { clock, stuckMs, fees: policy, maxFillCostWei } = settings;
    const lowest = ledger.slots.find(({ nonce }) => nonce >= count)?.nonce;
    if (isStill() || lowest === undefined || lowest === count) {
      this.#since = undefined;
      return;
    }
    if (this.#since?.nonce !== count) this.#since = { nonce: count, ms: clock.monotonicMs() };
    if (clock.monotonicMs() - this.#since.ms < stuckMs || (await account.count("pending")) > count)
      return;
    const fees = firstFees(nextBaseFeeWei(head), policy, maxFillCostWei / TRANSFER_GAS);
    if (fees === undefined || isStill()) return;
    let slot: LaneSlot;
    try {
      slot = ledger.open(null, keeper.sign(count, null, "fill", TRANSFER_GAS, fees));
    } catch (error) {
      return fault(error);
    }
    await keeper.hand(slot);
  }
}
