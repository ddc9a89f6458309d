import type { Lots, Side, Ticks } from "../../core/units.js";
import { BookSide } from "./book-side.js";

/**
 * Both sides of one market's book in integer ticks and lots, without sequence numbers. `SyncedBook`
 * checks those.
 */
export class OrderBook {
  readonly bids = new BookSide("BUY");
  readonly asks = new BookSide("SELL");

  /** The bids for BUY, the asks for SELL. */
  side(side: Side): BookSide {
    return side === "BUY" ? this.bids : this.asks;
  }

  /**
   * Sets a level to an absolute amount of lots. 0 deletes the level; deleting an unknown level does
   * nothing. Returns true if anything changed.
   */
  set(side: Side, ticks: Ticks, lots: Lots): boolean {
    return this.side(side).set(ticks, lots);
  }

  /** True if the best bid meets or passes the best ask. No matching exchange shows such a book. */
  get crossed(): boolean {
    return this.bids.bestTicks >= this.asks.bestTicks;
  }

  clear(): void {
    this.bids.clear();
    this.asks.clear();
  }

  /** Every level of both sides as flat pairs (ticks, lots, ...), best first. */
  entries(): { readonly bids: number[]; readonly asks: number[] } {
    return { bids: this.bids.entries(), asks: this.asks.entries() };
  }
}
