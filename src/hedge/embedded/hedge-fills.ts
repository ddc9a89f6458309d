import type { Int64Id, MarketId, Ms } from "../../core/units.js";
import type { VenueTrade } from "../../exchange/records.js";
import type { HedgeOrderKey } from "../hedge-order-key.js";
import type { HedgeContract, HedgeFill } from "../hedge-venue.js";
import { toHedgeUnits } from "./hedge-contracts.js";
import type { KnownOrders } from "./known-orders.js";

interface SeenTrade {
  readonly key: HedgeOrderKey | undefined;
  readonly timeMs: Ms;
  status: string;
}

/** Most trades of a market whose reports are kept apart. */
const MOST_TRADES = 5_000;

/**
 * The fills of the account, from its trades. A trade is a fill at its match, while its settlement
 * is pending. One whose settlement failed is the same fill once more, reversed.
 */
export class HedgeFills {
  readonly #orders: KnownOrders;
  readonly #contracts: ReadonlyMap<string, HedgeContract>;
  readonly #creditDecimals: number;
  readonly #seen = new Map<MarketId, Map<Int64Id, SeenTrade>>();

  /** @param creditDecimals of the exchange */
  constructor(
    orders: KnownOrders,
    contracts: ReadonlyMap<string, HedgeContract>,
    creditDecimals: number,
  ) {
    this.#orders = orders;
    this.#contracts = contracts;
    this.#creditDecimals = creditDecimals;
  }

  /** Returns what a report of a trade adds: a fill, its reversal, both, or nothing. */
  added(trade: VenueTrade): readonly HedgeFill[] {
    const known = this.#seen.get(trade.marketId)?.get(trade.id);
    const wasFailed = known !== undefined && isFailed(known);
    const fills = this.all(trade);
    if (known === undefined) return fills;
    return wasFailed ? [] : fills.slice(1);
  }

  /** Returns the fill of a trade, and its reversal if its settlement failed. */
  all(trade: VenueTrade): readonly HedgeFill[] {
    const { key } = this.#note(trade);
    const fill: HedgeFill = {
      id: trade.id,
      symbol: trade.marketId,
      key,
      side: trade.side,
      lots: trade.lots,
      quote: toHedgeUnits(trade.quote, this.#creditDecimals),
      fee: toHedgeUnits(trade.commission, this.#creditDecimals),
      feeAsset: this.#contracts.get(trade.marketId)?.quoteAsset ?? "",
      isMaker: trade.isMaker,
      timeMs: trade.timeMs,
      isReversed: false,
    };
    return isFailed(trade) ? [fill, { ...fill, isReversed: true }] : [fill];
  }

  /** True if a trade was not reported before, and so is not assigned to an order. */
  isNew({ marketId, id }: VenueTrade): boolean {
    return this.#seen.get(marketId)?.has(id) !== true;
  }

  /** The time of the earliest trade whose settlement is not known; Infinity without one. */
  pendingSinceMs(symbol: MarketId): Ms {
    let sinceMs = Number.POSITIVE_INFINITY;
    for (const { status, timeMs } of this.#seen.get(symbol)?.values() ?? [])
      if (status === "CREATED") sinceMs = Math.min(sinceMs, timeMs);
    return sinceMs;
  }

  #note(trade: VenueTrade): SeenTrade {
    let trades = this.#seen.get(trade.marketId);
    if (trades === undefined) {
      trades = new Map();
      this.#seen.set(trade.marketId, trades);
    }
    let seen = trades.get(trade.id);
    if (seen === undefined) {
      const { timeMs, status } = trade;
      seen = { key: this.#orders.assign(trade), timeMs, status };
      trades.set(trade.id, seen);
      const [oldest] = trades.keys();
      if (trades.size > MOST_TRADES && oldest !== undefined) trades.delete(oldest);
    }
    // A late report does not undo a final state.
    if (trade.status !== "CREATED") seen.status = trade.status;
    return seen;
  }
}

function isFailed({ status }: Pick<VenueTrade, "status">): boolean {
  return status === "FAILED";
}
