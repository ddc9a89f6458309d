import type { Lots, MarketId, Ms } from "../../core/units.js";

interface Waiting {
  lots: Lots;
  /** Monotonic time. */
  readonly untilMs: Ms;
}

/**
 * The lots of each market that the exchange has reported as taken over before their receipts
 * arrived. How they are unwound is decided at the receipt. A hedge of them would be undone if they
 * are then sold here, at two fees and two spreads, so it waits: until the receipt, or for as long
 * as the market may be unhedged.
 */
export class TakeoversWithoutReceipt {
  readonly #waiting = new Map<MarketId, Waiting>();

  /** The exchange has reported signed lots. @param untilMs monotonic time of the longest wait */
  reported(marketId: MarketId, lots: Lots, untilMs: Ms): void {
    const known = this.#waiting.get(marketId);
    this.#set(marketId, { lots: lots + (known?.lots ?? 0), untilMs: known?.untilMs ?? untilMs });
  }

  /** The receipt of signed lots that the exchange had reported has arrived. */
  received(marketId: MarketId, lots: Lots): void {
    const known = this.#waiting.get(marketId);
    if (known !== undefined) this.#set(marketId, { ...known, lots: known.lots - lots });
  }

  /** Signed lots of a market that wait. */
  lots(marketId: MarketId, nowMs: Ms): Lots {
    const known = this.#waiting.get(marketId);
    if (known === undefined) return 0;
    if (nowMs < known.untilMs) return known.lots;
    this.#waiting.delete(marketId);
    return 0;
  }

  #set(marketId: MarketId, waiting: Waiting): void {
    if (waiting.lots === 0) this.#waiting.delete(marketId);
    else this.#waiting.set(marketId, waiting);
  }
}
