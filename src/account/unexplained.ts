import type { Lots, MarketId, Side } from "../core/units.js";
import type { Ledger } from "./ledger.js";

/**
 * Orders tell what has matched, trades tell what the position became; neither names the other. By market and side,
 * this holds the one against the other: what is matched but in no known trade counts in the worst case, and what is
 * traded but matched by no known order may be the doing of an order whose fate is unknown (design, rule 6).
 */
export class Unexplained {
  readonly #ledger: Ledger;
  readonly #matched = new Map<string, Lots>();
  readonly #settledAside = new Map<string, Lots>();
  readonly #lastGap = new Map<string, string>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** A known order's matched lots have changed by so many. */
  matched(marketId: MarketId, side: Side, lots: Lots): void {
    if (lots !== 0) this.#matched.set(keyOf(marketId, side), this.#matchedLots(marketId, side) + lots);
  }

  /** Lots that known orders have matched and no known trade shows: they are coming. */
  unseenLots(marketId: MarketId, side: Side): Lots {
    return Math.max(0, -this.#gap(marketId, side));
  }

  /** Lots that trades show and no known order has matched. */
  orphanLots(marketId: MarketId, side: Side): Lots {
    return Math.max(0, this.#gap(marketId, side));
  }

  /** From here on both are taken to agree: at the start, and when the exchange has settled a gap for good. */
  agree(marketId: MarketId): void {
    for (const side of SIDES) {
      const key = keyOf(marketId, side);
      this.#settledAside.set(key, (this.#settledAside.get(key) ?? 0) + this.#gap(marketId, side));
    }
  }

  /**
   * After a full reconciliation: a gap that stood just so after the one before, with every trade settled or failed,
   * will not close any more; it is set aside. Returns whether one was.
   */
  review(marketId: MarketId): boolean {
    let setAside = false;
    for (const side of SIDES) {
      const key = keyOf(marketId, side);
      const gap = this.#gap(marketId, side);
      const standing = `${gap}/${this.#matchedLots(marketId, side)}/${this.#ledger.tradedLots(marketId, side)}`;
      if (gap !== 0 && this.#lastGap.get(key) === standing && this.#ledger.isSettled(marketId)) {
        this.#settledAside.set(key, (this.#settledAside.get(key) ?? 0) + gap);
        setAside = true;
      }
      this.#lastGap.set(key, standing);
    }
    return setAside;
  }

  #gap(marketId: MarketId, side: Side): Lots {
    const aside = this.#settledAside.get(keyOf(marketId, side)) ?? 0;
    return this.#ledger.tradedLots(marketId, side) - this.#matchedLots(marketId, side) - aside;
  }

  #matchedLots(marketId: MarketId, side: Side): Lots {
    return this.#matched.get(keyOf(marketId, side)) ?? 0;
  }
}

const SIDES: readonly Side[] = ["BUY", "SELL"];

function keyOf(marketId: MarketId, side: Side): string {
  return `${side} ${marketId}`;
}
