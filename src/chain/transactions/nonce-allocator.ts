import type { TransactionLedger } from "./store/transaction-ledger.js";

/** Counts an account's nonces: which is the next to sign for, and which somebody else has used. */
export class NonceAllocator {
  readonly #ledger: TransactionLedger;
  /** The first nonce beyond those that we have signed for or seen used. */
  #next: number;
  /** The highest count of the account's transactions that was seen; undefined before the first. */
  #seenCount: number | undefined;

  constructor(ledger: TransactionLedger) {
    this.#ledger = ledger;
    this.#next = ledger.nextNonce;
  }

  /** The nonce of the next transaction. @param nodeNonce what a node takes for it. */
  next(nodeNonce: number): number {
    return Math.max(this.#next, nodeNonce);
  }

  /** Something was signed with it, and is stored. */
  signed(nonce: number): void {
    this.#next = nonce + 1;
  }

  /**
   * The chain counts so many transactions of the account: nonces that were used and are none of ours are somebody's who has the key.
   * @param foreign is told of those that were not known of before, one after the other, both ends included.
   */
  recordChainCount(count: number, foreign: (from: number, to: number) => void): void {
    // Before the first look, what the store says: what lies beyond its last nonce is nothing of ours.
    const from = this.#seenCount ?? Math.min(count, this.#ledger.nextNonce || count);
    this.#seenCount = Math.max(from, count);
    this.#next = Math.max(this.#next, count);
    let first = from;
    // From one of ours to the next: between them may be any number.
    for (const ours of [...this.#ledger.ours(from, count), count]) {
      if (first < ours) {
        this.#ledger.foreign(first, ours - 1);
        foreign(first, ours - 1);
      }
      first = ours + 1;
    }
  }
}
