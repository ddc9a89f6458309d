import type { BlockHeader } from "../blocks/block-header.js";
import type { CanonicalChain, ChainStep } from "../blocks/canonical-chain.js";
import { blockTag } from "../rpc/chain-rpc.js";
import type { AccountReader } from "./account-reader.js";
import type { NonceTracker } from "./nonce-tracker.js";
import type { FinishedSlot, TransactionLedger } from "./store/transaction-ledger.js";

/** What ends are watched with. */
export interface FinalityWatcherDeps {
  readonly ledger: TransactionLedger;
  readonly chain: CanonicalChain;
  readonly account: AccountReader;
  readonly keeper: NonceTracker;
  readonly followBlocks: number;
  /** An end is none any more. */
  readonly onUndone: (ended: FinishedSlot) => void;
}

/**
 * Watches ends after they were told: `confirmations` is what is waited for, not what a chain promises. Nobody is asked anything unless
 * blocks were replaced, or may have been while nobody looked.
 */
export class FinalityWatcher {
  readonly #ports: FinalityWatcherDeps;
  /** Blocks may have been replaced since every end was looked at: before this run, to begin with. */
  #mayHaveReorged = true;

  constructor(ports: FinalityWatcherDeps) {
    this.#ports = ports;
  }

  /** The chain has moved. */
  onChainStep({ removed, isWhole }: ChainStep): void {
    if (removed.length > 0 || !isWhole) this.#mayHaveReorged = true;
  }

  /** @throws ChainUnavailable, RpcFailure, FormatError when the chain cannot be read; the next look begins again. */
  async check(head: BlockHeader): Promise<void> {
    const { ledger, followBlocks, onUndone: undo } = this.#ports;
    for (const ended of ledger.ended)
      if (head.number - ended.atBlock >= followBlocks) ledger.stopWatching(ended);
    if (!this.#mayHaveReorged) return;
    for (const ended of ledger.ended) if (await this.#isUndone(ended, head)) undo(ended);
    this.#mayHaveReorged = false;
  }

  async #isUndone({ slot, outcome }: FinishedSlot, head: BlockHeader): Promise<boolean> {
    const { chain, account, keeper } = this.#ports;
    if (outcome !== null && "receipt" in outcome) {
      const { blockNumber, blockHash } = outcome.receipt;
      return (await chain.blockAt(blockNumber))?.hash !== blockHash;
    }
    // Filled, or a stranger's: the nonce may be free again, or what was sent for a job have it after all.
    if ((await account.count(blockTag(head.number), head.number)) <= slot.nonce) return true;
    return outcome !== null && (await keeper.receipt(slot, head.number)) !== undefined;
  }
}
