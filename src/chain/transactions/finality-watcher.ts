import type { BlockHeader } from "../blocks/block-header.js";
import type { CanonicalChain, ChainStep } from "../blocks/canonical-chain.js";
import { blockTag } from "../rpc/chain-rpc.js";
import type { AccountReader } from "./account-reader.js";
import type { NonceTracker } from "./nonce-tracker.js";
import type { FinishedSlot, TransactionLedger } from "./store/transaction-ledger.js";

/** Parts that watch final outcomes for reorgs. */
export interface FinalityWatcherDeps {
  readonly ledger: TransactionLedger;
  readonly chain: CanonicalChain;
  readonly account: AccountReader;
  readonly keeper: NonceTracker;
  readonly followBlocks: number;
  /** Called when a reorg has removed a final outcome. */
  readonly onUndone: (ended: FinishedSlot) => void;
}

/**
 * Watches outcomes after they were reported as final, because a reorg may be deeper than
 * `confirmations`. It sends no requests unless blocks were replaced, or may have been while it was
 * not running.
 */
export class FinalityWatcher {
  readonly #ports: FinalityWatcherDeps;
  /**
   * True if blocks may have been replaced since every outcome was checked: at first, before this
   * run.
   */
  #mayHaveReorged = true;

  constructor(ports: FinalityWatcherDeps) {
    this.#ports = ports;
  }

  /** Applies a change of the chain. */
  onChainStep({ removed, isWhole }: ChainStep): void {
    if (removed.length > 0 || !isWhole) this.#mayHaveReorged = true;
  }

  /**
   * @throws ChainUnavailable, RpcFailure, FormatError when the chain cannot be read; the next check
   * starts over.
   */
  async check(head: BlockHeader): Promise<void> {
    const { ledger, followBlocks, onUndone } = this.#ports;
    for (const ended of ledger.ended)
      if (head.number - ended.atBlock >= followBlocks) ledger.stopWatching(ended);
    if (!this.#mayHaveReorged) return;
    for (const ended of ledger.ended) if (await this.#isUndone(ended, head)) onUndone(ended);
    this.#mayHaveReorged = false;
  }

  async #isUndone({ slot, outcome }: FinishedSlot, head: BlockHeader): Promise<boolean> {
    const { chain, account, keeper } = this.#ports;
    if (outcome !== null && "receipt" in outcome) {
      const { blockNumber, blockHash } = outcome.receipt;
      return (await chain.blockAt(blockNumber))?.hash !== blockHash;
    }
    // Filled, or used by another process: the nonce may be free again, or a transaction of the job
    // may have it after all.
    if ((await account.count(blockTag(head.number), head.number)) <= slot.nonce) return true;
    return outcome !== null && (await keeper.receipt(slot, head.number)) !== undefined;
  }
}
