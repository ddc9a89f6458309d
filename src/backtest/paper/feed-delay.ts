/**
 * How long market data takes, as far as trades tell, which alone carry the exchange's stamp: the least of what they took, and not below zero. Before the
 * first trade it is zero.
 */
export class FeedDelay {
  #leastUs: number | undefined;

  /** A trade was heard that the exchange stamped. */
  onTrade(localUs: number, exchangeUs: number): void {
    this.#leastUs = Math.max(
      0,
      Math.min(this.#leastUs ?? Number.POSITIVE_INFINITY, localUs - exchangeUs),
    );
  }

  get us(): number {
    return this.#leastUs ?? 0;
  }

  /** What the exchange's clock said of what is heard now, at the latest. */
  exchangeUs(localUs: number): number {
    return localUs - this.us;
  }
}
