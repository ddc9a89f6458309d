import type { Lots, Side, Ticks } from "../../core/units.js";
import { BookSide } from "./book-side.js";
import type { ReadableBook } from "./readable-book.js";

/**
 * Both sides of one market's book in integer ticks and lots. It knows nothing of sequences: see
 * `SyncedBook`.
 */
export class OrderBook {
  readonly bids = new BookSide("BUY");
  readonly asks = new BookSide("SELL");

  /** A book with the same levels, of its own. */
  static copyOf({ bids, asks }: ReadableBook): OrderBook {
    const copy = new OrderBook();
    for (const side of [bids, asks]) {
      side.walk((ticks, lots) => {
        copy.set(side.side, ticks, lots);
        return true;
      });
    }
    return copy;
  }

  /** The bids for BUY, the asks for SELL. */
  side(side: Side): BookSide {
    return side === "BUY" ? this.bids : this.asks;
  }

  /**
   * Sets a level to an absolute amount of lots; 0 deletes, an unknown level's deletion is ignored.
   * Returns whether anything changed.
   */
  set(side: Side, ticks: Ticks, lots: Lots): boolean {
    return this.side(side).set(ticks, lots);
  }

  /** Whether the best bid meets or passes the best ask: no matching exchange shows that. */
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

  /**
   * 16 hex digits over every level of both sides: two books with different digests differ, two with
   * equal ones are equal but for a chance of 2^-64.
   */
  digest(): string {
    let high = 0x811c9dc5;
    let low = 0x9e3779b9;
    for (const side of [this.bids, this.asks]) {
      side.walk((ticks, lots) => {
        for (const value of [ticks, lots]) {
          const upper = Math.floor(value / 0x1_0000_0000);
          high = mixed(high ^ (value | 0), upper);
          low = mixed(low + (value | 0), upper ^ high);
        }
        return true;
      });
      high = mixed(high, side.levels);
      low = mixed(low, ~side.levels);
    }
    return hex32(high) + hex32(low);
  }
}

/** The finaliser of MurmurHash3 (Appleby), keyed. */
function mixed(state: number, key: number): number {
  let value = (state ^ Math.imul(key, 0x85ebca6b)) | 0;
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

function hex32(value: number): string {
  return (value >>> 0).toString(16).padStart(8, "0");
}
