import type { Int64Id, MarketId } from "../../core/units.js";

/**
 * Trades of a market that are remembered at least: minutes of a busy one, longer than a settlement
 * takes.
 */
const REMEMBERED = 4096;

interface Remembered {
  newer: Set<Int64Id>;
  older: Set<Int64Id>;
}

/**
 * Recognises public trades that were already reported. A trade's record has a status, so an
 * exchange may report it again when it has settled or failed, and after a new subscription. It is
 * still one trade.
 */
export class TradeDeduplicator {
  readonly #markets = new Map<MarketId, Remembered>();

  /** Returns true for a trade's first report, and remembers it. Ids need not be in order. */
  isNew(marketId: MarketId, id: Int64Id): boolean {
    let market = this.#markets.get(marketId);
    if (market === undefined) {
      market = { newer: new Set(), older: new Set() };
      this.#markets.set(marketId, market);
    }
    if (market.newer.has(id) || market.older.has(id)) return false;
    if (market.newer.size >= REMEMBERED) {
      market.older = market.newer;
      market.newer = new Set();
    }
    market.newer.add(id);
    return true;
  }
}
