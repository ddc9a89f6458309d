/** Nothing is known: no snapshot has come, or the book was lost since. */
const NOWHERE = Number.POSITIVE_INFINITY;

/**
 * How far down one side a recording shows the book. Many recorders cut their snapshots off, after
 * twenty levels or a thousand: behind the last of them, empty and full look alike. Prices that the
 * side's best has been behind since are known too: nobody stood there then, and what came was
 * recorded.
 *
 * Prices are keys: ticks on the bids, minus ticks on the asks, so that a higher key is a better
 * price.
 */
export class KnownDepth {
  #leastKey = NOWHERE;

  /** The worst key that is known; Infinity where none is. */
  get leastKey(): number {
    return this.#leastKey;
  }

  /** Whether the amount at the price of a key is known. */
  knows(key: number): boolean {
    return key >= this.#leastKey;
  }

  /** Whether nothing is known of the side but what updates have shown. */
  get isUnknown(): boolean {
    return this.#leastKey === NOWHERE;
  }

  /**
   * A snapshot has this least key; Infinity for one without a row of this side, which says nothing
   * of it.
   */
  snapshot(leastKey: number): void {
    if (leastKey !== NOWHERE) this.#leastKey = leastKey;
  }

  /** The book was lost. */
  lose(): void {
    this.#leastKey = NOWHERE;
  }

  /** The best price of the side is at a key now. Not to be called of an empty side. */
  best(key: number): void {
    if (key < this.#leastKey && this.#leastKey !== NOWHERE) this.#leastKey = key;
  }
}

/** The least key of each side among the rows of a snapshot; Infinity for a side without a row. */
export function worstKeys(
  signedTicks: ArrayLike<number>,
  from: number,
  to: number,
): { readonly bids: number; readonly asks: number } {
  let [bids, asks] = [NOWHERE, NOWHERE];
  for (let row = from; row < to; row++) {
    const key = signedTicks[row] as number;
    if (key > 0) bids = Math.min(bids, key);
    else asks = Math.min(asks, key);
  }
  return { bids, asks };
}
