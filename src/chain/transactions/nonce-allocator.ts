import type { TransactionLedger } from "./store/transaction-ledger.js";

/**
 * Tracks an account's nonces: the next one to sign for, and those that another process has used.
 */
export class NonceAllocator {
  readonly #ledger: TransactionLedger;
  /** The first nonce after those that we have signed for or seen used. */
  #next: number;
  /** The highest transaction count of the account so far; undefined before the first. */
  #seenCount: number | undefined;

  constructor(ledger: TransactionLedger) {
    this.#ledger = ledger;
    this.#next = ledger.nextNonce;
  }

  /** The nonce of the next transaction. @param nodeNonce the node's value for it. */
  next(nodeNonce: number): number {
    return Math.max(this.#next, nodeNonce);
  }

  /** Records that a transaction with the nonce is signed and stored. */
  signed(nonce: number): void {
    this.#next = nonce + 1;
  }

  /**
   * Records the account's transaction count on the chain. Used nonces that this process did not
   * sign for mean that another process has the key.
   * @param foreign is called with each new range of such nonces, both ends included.
   */
  recordChainCount(count: number, foreign: (from: number, to: number) => void): void {
    // Before the first poll, the store decides: nonces beyond its last one are not ours.
    const from = this.#seenCount ?? Math.min(count, this.#ledger.nextNonce || count);
    this.#seenCount = Math.max(from, count);
    this.#next = Math.max(this.#next, count);
    let first = from;
    // From one of our nonces to the next: any number may lie between them.
    for (const ours of [...this.#ledger.ours(from, count), count]) {
      if (first < ours) {
        this.#ledger.foreign(first, ours - 1);
        foreign(first, ours - 1);
      }
      first = ours + 1;
    }
  }
}
