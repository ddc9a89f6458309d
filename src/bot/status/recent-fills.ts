import type { OwnOrder } from "../../account/orders/order.js";
import type { MarketId, Side, Ticks } from "../../core/units.js";
import type { VenueTrade } from "../../exchange/records.js";
import type { BotEvent } from "../engine/bot-event.js";

/** Most fills of one market that are kept. */
const MOST_FILLS = 200;
/** Most prices whose quote's level is kept: more than a bot quotes until a fill is reported. */
const MOST_LEVELS = 2_000;

/** A fill of this run. */
export interface RecentFill {
  readonly trade: VenueTrade;
  /** Level of the quote that filled, 0 innermost; undefined for a taker's fill, or if unknown. */
  readonly level: number | undefined;
}

/** The newest fills of each market, without those whose settlement failed. */
export class RecentFills {
  readonly #fills = new Map<MarketId, RecentFill[]>();
  /**
   * Level of the newest quote at a price. A trade does not name its order, but a maker's fill has
   * the price of its order.
   */
  readonly #levels = new Map<string, number>();

  onBotEvent(notice: BotEvent): void {
    if (notice.kind !== "account") return;
    const { change } = notice;
    if (change.kind === "order") this.#noteLevel(change.order);
    else if (change.kind === "fill") this.#add(change.trade);
    else if (change.kind === "trade-failed") this.#remove(change.trade);
  }

  /** The newest fills of a market, oldest first. */
  of(marketId: MarketId): readonly RecentFill[] {
    return this.#fills.get(marketId) ?? [];
  }

  #noteLevel({ marketId, side, ticks, level }: OwnOrder): void {
    if (level < 0) return;
    const key = placeKey(marketId, side, ticks);
    // Deleted first, so that the map's order is that of the last use.
    this.#levels.delete(key);
    this.#levels.set(key, level);
    if (this.#levels.size <= MOST_LEVELS) return;
    const [oldest] = this.#levels.keys();
    if (oldest !== undefined) this.#levels.delete(oldest);
  }

  #add(trade: VenueTrade): void {
    const { marketId, side, ticks, isMaker } = trade;
    const fills = this.#fills.get(marketId) ?? [];
    const level = isMaker ? this.#levels.get(placeKey(marketId, side, ticks)) : undefined;
    fills.push({ trade, level });
    if (fills.length > MOST_FILLS) fills.shift();
    this.#fills.set(marketId, fills);
  }

  #remove({ marketId, id }: VenueTrade): void {
    const fills = this.#fills.get(marketId);
    const at = fills?.findIndex(({ trade }) => trade.id === id) ?? -1;
    if (at >= 0) fills?.splice(at, 1);
  }
}

function placeKey(marketId: MarketId, side: Side, ticks: Ticks): string {
  return `${marketId} ${side} ${ticks}`;
}
