/** The key when nothing is known: before a snapshot, or after the book was invalidated. */
const NOWHERE = Number.POSITIVE_INFINITY;

/**
 * The known depth of one side of a recorded book. Many recorders cut their snapshots off, after
 * twenty levels or a thousand: behind the last level, empty and unrecorded levels look alike.
 * Prices that the side's best has been behind since are known too: they were empty then, and later
 * changes were recorded.
 *
 * Prices are keys: ticks on the bids, minus ticks on the asks, so that a higher key is a better
 * price.
 */
export class KnownDepth {
  #leastKey = NOWHERE;

  /** The worst known key; Infinity if none is known. */
  get leastKey(): number {
    return this.#leastKey;
  }

  /** Returns true if the amount at the price of a key is known. */
  knows(key: number): boolean {
    return key >= this.#leastKey;
  }

  /** True if nothing is known of the side except levels from updates. */
  get isUnknown(): boolean {
    return this.#leastKey === NOWHERE;
  }

  /**
   * Applies a snapshot with this least key. Infinity means that it has no row of this side, and so
   * proves nothing about it.
   */
  snapshot(leastKey: number): void {
    if (leastKey !== NOWHERE) this.#leastKey = leastKey;
  }

  /** Invalidates the known depth together with the book. */
  lose(): void {
    this.#leastKey = NOWHERE;
  }

  /** Applies the key of the side's present best price. Must not be called for an empty side. */
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
