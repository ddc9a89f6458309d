import type { Int64Id, MarketId } from "../../core/units.js";

/** So many trades of a market at least are known again: minutes of a busy one, longer than a settlement takes. */
const REMEMBERED = 4096;

interface Remembered {
  newer: Set<Int64Id>;
  older: Set<Int64Id>;
}

/**
 * Which public trades were told already. A trade's record has a status, so that an exchange may tell it again when it has settled or failed, and
 * after a new subscription; it traded once all the same.
 */
export class TradeDeduplicator {
  readonly #markets = new Map<MarketId, Remembered>();

  /** Whether a trade is told for the first time; from then on it is known. Ids need not come in their order. */
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
