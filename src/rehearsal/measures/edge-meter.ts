import type { CreditUnits, MarketId, Ms } from "../../core/units.js";
import type { AccountFill } from "./exchange-truth.js";

/** Measures how far fills were from the true price that the market had just before them. */
export class EdgeMeter {
  /** Samples by market, oldest first. */
  readonly #prices = new Map<MarketId, { readonly atMs: Ms; readonly ticks: number }[]>();

  /** @param ticks true price, in ticks and parts of one */
  sample(marketId: MarketId, atMs: Ms, ticks: number): void {
    const held = this.#prices.get(marketId);
    if (held === undefined) this.#prices.set(marketId, [{ atMs, ticks }]);
    else held.push({ atMs, ticks });
  }

  /**
   * Sum of the distances of fills from the true price, above 0 if the account gained them. A fill
   * before the first sample does not count. @param fills oldest first
   */
  edge(fills: readonly AccountFill[]): CreditUnits {
    const next = new Map<MarketId, number>();
    let sum = 0n;
    for (const { marketId, atMs, ticks, isBuyer, quote } of fills) {
      const prices = this.#prices.get(marketId) ?? [];
      let at = next.get(marketId) ?? 0;
      while (at < prices.length && (prices[at]?.atMs ?? atMs) < atMs) at += 1;
      next.set(marketId, at);
      const before = prices[at - 1]?.ticks;
      if (before === undefined) continue;
      const gained = (before / ticks - 1) * (isBuyer ? 1 : -1);
      sum += BigInt(Math.round(Number(quote) * gained));
    }
    return sum;
  }
}
