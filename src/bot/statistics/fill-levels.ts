import type { OwnOrder } from "../../account/orders/order.js";
import type { Hex, Lots, MarketId, Side, Ticks } from "../../core/units.js";
import type { VenueTrade } from "../../exchange/records.js";
import { toMarkoutLevel } from "../../executor/markout-level.js";

/** Matches that are kept until their trade is reported, and the reverse. */
const KEPT = 256;

/** Lots of an order that one of the two reports has and the other has not. */
interface Open {
  readonly marketId: MarketId;
  readonly side: Side;
  readonly ticks: Ticks;
  readonly level: number;
  readonly hash: Hex;
  lots: Lots;
}

/** The order that a trade belongs to. */
export interface FilledQuote {
  readonly hash: Hex;
  /** The level of its quote, as markouts count it; -1 for an order that works a position. */
  readonly level: number;
}

/**
 * Finds the quote level of a fill. The exchange's trades do not name the order, so a trade belongs
 * to the order whose match was reported beside it, at the trade's price or a worse one. Bounded
 * memory.
 */
export class FillLevels {
  /** Matches of orders whose trades have not been reported yet, oldest first. */
  #matched: Open[] = [];
  /** Trades that were reported before the match of their order, with the order that they took. */
  #anticipated: Open[] = [];

  /** An order has matched. */
  onMatched({ marketId, side, ticks, level, hash }: OwnOrder, lots: Lots): void {
    let left = lots;
    for (const one of this.#anticipated) {
      if (left === 0) break;
      if (one.marketId !== marketId || one.side !== side || one.ticks !== ticks) continue;
      const used = Math.min(left, one.lots);
      one.lots -= used;
      left -= used;
    }
    this.#anticipated = this.#anticipated.filter(({ lots: rest }) => rest > 0);
    if (left > 0)
      this.#matched = [
        ...this.#matched.slice(1 - KEPT),
        { marketId, side, ticks, level: toMarkoutLevel(level), hash, lots: left },
      ];
  }

  /**
   * The level of a trade; -1 if no order of the bot's quotes explains it.
   * @param working the bot's orders of that market that may still fill, oldest first
   */
  levelOf(trade: VenueTrade, working: readonly OwnOrder[]): number {
    return this.quoteOf(trade, working)?.level ?? -1;
  }

  /**
   * The order of a trade; undefined if no order of the bot explains it.
   * @param working as for {@link levelOf}
   */
  quoteOf(trade: VenueTrade, working: readonly OwnOrder[]): FilledQuote | undefined {
    const matches = this.#matched.filter((one) => canBe(one, trade));
    const match = matches.find(({ ticks }) => ticks === trade.ticks) ?? matches[0];
    if (match !== undefined) {
      match.lots -= Math.min(match.lots, trade.lots);
      this.#matched = this.#matched.filter(({ lots }) => lots > 0);
      return match;
    }
    const orders = working.filter((order) => order.phase !== "intended" && canBe(order, trade));
    const order = orders.find(({ ticks }) => ticks === trade.ticks) ?? orders[0];
    if (order === undefined) return undefined;
    const { marketId, side, ticks, hash } = order;
    const quote = { marketId, side, ticks, level: toMarkoutLevel(order.level), hash };
    this.#anticipated = [...this.#anticipated.slice(1 - KEPT), { ...quote, lots: trade.lots }];
    return quote;
  }
}

/** True if an order with this limit price may have had the trade. A resting order trades at it. */
function canBe(
  { marketId, side, ticks }: Pick<Open, "marketId" | "side" | "ticks">,
  trade: VenueTrade,
): boolean {
  if (marketId !== trade.marketId || side !== trade.side) return false;
  if (trade.isMaker) return ticks === trade.ticks;
  return side === "BUY" ? ticks >= trade.ticks : ticks <= trade.ticks;
}
