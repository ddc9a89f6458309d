/** One side of a `StandingBook`. A price's key is its ticks on the bids and minus its ticks on the asks, as a tape has it: on both sides a higher key is a better price. */
export class StandingSide {
  readonly #lots = new Map<number, number>();
  /** The worst key that is known; Infinity where nothing is. */
  #leastKey = Number.POSITIVE_INFINITY;
  /** Levels at keys that are known. */
  #known = 0;

  /** The worst key of which it is known what stands there: behind it empty and full look alike. Infinity where nothing is known. */
  get leastKey(): number {
    return this.#leastKey;
  }

  /** Levels with their lots, the best first. */
  get levels(): readonly (readonly [key: number, lots: number])[] {
    return [...this.#lots].sort(([one], [other]) => other - one);
  }

  /** Sets a level to an absolute amount; 0 deletes. */
  set(key: number, lots: number): void {
    const isKnown = key >= this.#leastKey;
    if (isKnown && this.#lots.has(key)) this.#known -= 1;
    if (lots === 0) this.#lots.delete(key);
    else this.#lots.set(key, lots);
    if (isKnown && lots > 0) this.#known += 1;
  }

  /** A snapshot comes that reaches down to a key: all from there on is replaced, and known. */
  replaceFrom(leastKey: number): void {
    this.#clearFrom(leastKey);
    this.#leastKey = leastKey;
    this.#known = 0;
  }

  /** The book is lost: nothing stands there any more, and nothing is known. */
  lose(): void {
    this.#lots.clear();
    this.#leastKey = Number.POSITIVE_INFINITY;
    this.#known = 0;
  }

  /** A message is over: what the best price is behind now is known too, since nobody stood there. */
  settle(): void {
    if (this.#known > 0 || this.#lots.size === 0 || this.#leastKey === Number.POSITIVE_INFINITY)
      return;
    let bestKey = Number.NEGATIVE_INFINITY;
    for (const key of this.#lots.keys()) bestKey = Math.max(bestKey, key);
    this.#leastKey = bestKey;
    this.#known = 1;
  }

  #clearFrom(leastKey: number): void {
    for (const key of this.#lots.keys()) if (key >= leastKey) this.#lots.delete(key);
  }
}
