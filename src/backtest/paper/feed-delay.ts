/**
 * Delay of market data, estimated from trades, which alone carry the exchange's stamp: the smallest
 * measured delay, and at least zero. Zero before the first trade.
 */
export class FeedDelay {
  #leastUs: number | undefined;

  /** Records a received trade with its exchange stamp. */
  onTrade(localUs: number, exchangeUs: number): void {
    this.#leastUs = Math.max(
      0,
      Math.min(this.#leastUs ?? Number.POSITIVE_INFINITY, localUs - exchangeUs),
    );
  }

  get us(): number {
    return this.#leastUs ?? 0;
  }

  /** The latest exchange time that data received now can have. */
  exchangeUs(localUs: number): number {
    return localUs - this.us;
  }
}
