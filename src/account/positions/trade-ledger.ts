import type { Int64Id, Lots, MarketId, Ms, Side, SideLots } from "../../core/units.js";
import { sideSign } from "../../core/units.js";
import type { VenueTrade } from "../../exchange/records.js";
import { subsetSums } from "./subset-sums.js";
import { isFailedTrade, isFinalTrade, isLaterThan, isSettledTrade } from "./trade-status.js";

/** The effect of a reported trade. */
export type TradeEffect =
  /** First seen: the position includes it from now on. */
  | { readonly news: "fill" }
  | { readonly news: "settled" }
  /**
   * `lots`: signed change of the position. 0, and nothing counted, if it was first seen as failed.
   */
  | { readonly news: "failed"; readonly lots: Lots; readonly counted: VenueTrade | undefined };

interface MarketLedger {
  /**
   * Position before any change in this ledger: the exchange's position less the trades and
   * takeovers when it was set.
   */
  baseLots: Lots;
  hasBase: boolean;
  /** Lots of trades that did not fail, by side, since the ledger was begun. */
  buyLots: Lots;
  sellLots: Lots;
  /** Lots of trades that may still fail, by side, rounded up to lots. */
  unsettledBuyLots: Lots;
  unsettledSellLots: Lots;
  /**
   * Net lots without a trade since the ledger was begun: takeovers, their reverts, and lots that
   * sub-lot balances have summed to.
   */
  acquiredLots: Lots;
  /** Grows with every change of the position. */
  version: number;
  /**
   * Net lots traded and acquired: first the value when the positions were queried, then the value
   * after each change since.
   */
  positionHistory: Lots[];
  /**
   * True if a trade off the market's step has come since: the intermediate positions are then not
   * whole lots.
   */
  isHistoryBroken: boolean;
  /** Ids of the trades that were unsettled when the history was begun, and of all later ones. */
  readonly lately: Set<Int64Id>;
  readonly trades: Map<Int64Id, VenueTrade>;
  /** Every trade up to this id is counted, and final unless it is still in `trades`. */
  foldedThrough: bigint;
  /** Every trade up to this id was read from the exchange itself. */
  readThrough: bigint;
  /** Value of `readThrough` at the last fold. */
  readBefore: bigint;
}

/**
 * The account's trades, each counted once however often and in whatever order they are reported.
 * The position of a market is its opening position, every trade that has not failed
 * (docs/ideas/design.md#matched-is-not-filled), and its takeovers. Final trades that the exchange
 * itself has listed twice are folded into the sums. Memory then holds only the last interval and
 * the unsettled trades.
 */
export class TradeLedger {
  readonly #markets = new Map<MarketId, MarketLedger>();

  /** Applies a trade. Returns undefined if it contains nothing new. */
  trade(trade: VenueTrade): TradeEffect | undefined {
    const market = this.#market(trade.marketId);
    const known = market.trades.get(trade.id);
    if (known === undefined) {
      if (BigInt(trade.id) <= market.foldedThrough) return undefined;
      market.trades.set(trade.id, trade);
      market.lately.add(trade.id);
      if (isFailedTrade(trade)) {
        noteMissed(market, trade);
        return { news: "failed", lots: 0, counted: undefined };
      }
      count(market, trade, 1);
      if (!isFinalTrade(trade)) countUnsettled(market, trade, 1);
      return { news: "fill" };
    }
    if (!isLaterThan(trade, known)) return undefined;
    market.trades.set(trade.id, trade);
    if (isFinalTrade(trade) && !isFinalTrade(known)) countUnsettled(market, known, -1);
    if (isFailedTrade(trade)) {
      count(market, known, -1);
      return { news: "failed", lots: -sideSign(known.side) * known.lots, counted: known };
    }
    return isSettledTrade(trade) ? { news: "settled" } : undefined;
  }

  /**
   * Called before the trades of one list are applied. A list gives the present status of each
   * trade, but not the order of events: a trade may have failed before or after others were made. A
   * position listed meanwhile may date from any moment in between, so each of these positions is
   * added to the history.
   */
  beginList(marketId: MarketId, trades: readonly VenueTrade[]): void {
    const market = this.#market(marketId);
    const made = trades.filter(
      ({ id }) => !market.trades.has(id) && BigInt(id) > market.foldedThrough,
    );
    const failed = trades.filter(
      (trade) => isFailedTrade(trade) && isCounted(market.trades.get(trade.id)),
    );
    if (
      made.length === 0 ||
      failed.length === 0 ||
      (made.length + 1) * (failed.length + 1) > MOST_MOMENTS
    )
      return;
    const net = netLots(market);
    for (const after of sumsOf(made)) {
      for (const less of sumsOf(failed)) noteMoment(market, net + after - less);
    }
  }

  /** Signed position: opening position and every trade that did not fail. */
  positionLots(marketId: MarketId): Lots {
    const market = this.#markets.get(marketId);
    return market === undefined ? 0 : market.baseLots + netLots(market);
  }

  /** Applies a takeover, which changes the position without a trade, at once and for good. */
  acquire(marketId: MarketId, lots: Lots): void {
    const market = this.#market(marketId);
    market.acquiredLots += lots;
    noteChange(market);
  }

  /** Adds signed lots that the sub-lot amounts of trades have summed to. */
  carrySubLots(marketId: MarketId, lots: Lots): void {
    this.acquire(marketId, lots);
  }

  /**
   * Returns true if the opening position of a market was ever set. Before that its position has no
   * meaning.
   */
  hasBase(marketId: MarketId): boolean {
    return this.#markets.get(marketId)?.hasBase ?? false;
  }

  /** Sets the opening position so that the position is `lots` with the trades known now. */
  setPosition(marketId: MarketId, lots: Lots): void {
    const market = this.#market(marketId);
    market.baseLots = lots - netLots(market);
    market.hasBase = true;
    market.version += 1;
  }

  /**
   * Grows with every change of a market's position: two equal readings mean that nothing changed in
   * between.
   */
  version(marketId: MarketId): number {
    return this.#markets.get(marketId)?.version ?? 0;
  }

  /**
   * Starts the position history when the positions are queried: every later value of the lots
   * traded and acquired is kept.
   */
  beginPositionHistory(marketId: MarketId): void {
    const market = this.#market(marketId);
    market.positionHistory = [netLots(market)];
    market.isHistoryBroken = false;
    market.lately.clear();
    for (const [id, trade] of market.trades) if (!isFinalTrade(trade)) market.lately.add(id);
  }

  /**
   * Net lots (bought less sold, and acquired) at every moment since the history was begun, the
   * present one last. Empty after a trade off the market's step.
   */
  positionHistory(marketId: MarketId): readonly Lots[] {
    const market = this.#markets.get(marketId);
    return market === undefined || market.isHistoryBroken ? [] : market.positionHistory;
  }

  /**
   * Position before any known change. The sum with a value of the history is the position at that
   * moment.
   */
  baseLots(marketId: MarketId): Lots {
    return this.#markets.get(marketId)?.baseLots ?? 0;
  }

  /** Lots of the trades on one side that did not fail, since the ledger was begun. */
  tradedLots(marketId: MarketId, side: Side): Lots {
    const market = this.#markets.get(marketId);
    if (market === undefined) return 0;
    return side === "BUY" ? market.buyLots : market.sellLots;
  }

  /** Returns true if every known trade of a market is settled or failed. */
  isSettled(marketId: MarketId): boolean {
    for (const trade of this.#markets.get(marketId)?.trades.values() ?? [])
      if (!isFinalTrade(trade)) return false;
    return true;
  }

  /**
   * The signed lots that a position reported since the history was begun may lack if it counts
   * trades from their settlement: 0 first, then every sum of trades that were unsettled at some
   * moment since. Trades settle in any order, and a settlement may be reported before or after the
   * position.
   * @param sinceMs trades made before this time are excluded
   */
  unsettledLots(marketId: MarketId, sinceMs: Ms = Number.NEGATIVE_INFINITY): readonly Lots[] {
    const market = this.#markets.get(marketId);
    if (market === undefined) return [0];
    const unsettled: VenueTrade[] = [];
    for (const id of market.lately) {
      const trade = market.trades.get(id);
      if (trade !== undefined && isCounted(trade) && trade.timeMs >= sinceMs) unsettled.push(trade);
    }
    // The newest are the likeliest.
    unsettled.sort((one, other) => (BigInt(one.id) < BigInt(other.id) ? 1 : -1));
    return subsetSums(unsettled.map(({ side, lots }) => sideSign(side) * lots));
  }

  /** Returns true if one of these unsettled trades has an amount off the market's step. */
  isRestUnsettled(marketId: MarketId): boolean {
    const market = this.#markets.get(marketId);
    if (market === undefined) return false;
    for (const id of market.lately) {
      const trade = market.trades.get(id);
      if (trade?.restPaper !== undefined && isCounted(trade)) return true;
    }
    return false;
  }

  /**
   * The trades that have been unsettled ever since the history was begun: their signed lots, and
   * the time of the oldest. A position reported since certainly lacks them if it counts trades from
   * their settlement. Undefined if one of them has become final meanwhile: such a position may or
   * may not include it.
   */
  open(marketId: MarketId): { readonly lots: Lots; readonly sinceMs: Ms } | undefined {
    const market = this.#markets.get(marketId);
    let lots = 0;
    let sinceMs = Number.POSITIVE_INFINITY;
    for (const id of market?.lately ?? []) {
      const trade = market?.trades.get(id);
      if (trade === undefined || isFinalTrade(trade)) return undefined;
      lots += sideSign(trade.side) * trade.lots;
      sinceMs = Math.min(sinceMs, trade.timeMs);
    }
    return { lots, sinceMs };
  }

  /**
   * Lots of trades that are neither settled nor failed, by side, rounded up to lots. All of them
   * are in {@link positionLots}, and any of them may still fail.
   */
  unsettledBySide(marketId: MarketId): SideLots {
    const market = this.#markets.get(marketId);
    return market === undefined
      ? NO_LOTS
      : { buy: market.unsettledBuyLots, sell: market.unsettledSellLots };
  }

  /**
   * Lots and number of the trades that a position may include or lack, by side: those that are
   * neither settled nor failed, and all that were made since `sinceMs`.
   */
  pendingLots(
    marketId: MarketId,
    sinceMs: Ms,
  ): { readonly buyLots: Lots; readonly sellLots: Lots; readonly count: number } {
    let [buyLots, sellLots, count] = [0, 0, 0];
    for (const trade of this.#markets.get(marketId)?.trades.values() ?? []) {
      if (isFinalTrade(trade) && trade.timeMs < sinceMs) continue;
      count += 1;
      if (trade.side === "BUY") buyLots += trade.lots;
      else sellLots += trade.lots;
    }
    return { buyLots, sellLots, count };
  }

  /**
   * The id from which to query the next trades, after `afterId`: the oldest trade that is not
   * final, or the first one that the exchange has not listed twice. Undefined if the exchange was
   * never queried. The query is then for the most recent trades, because the first trade on a
   * stream is no lower bound.
   */
  nextTradeId(marketId: MarketId, afterId?: Int64Id): Int64Id | undefined {
    const market = this.#market(marketId);
    if (market.readThrough === NONE) return undefined;
    const after = afterId === undefined ? NONE : BigInt(afterId);
    let from = market.foldedThrough > after ? market.foldedThrough + 1n : after + 1n;
    for (const [id, trade] of market.trades) {
      if (isFinalTrade(trade)) continue;
      const value = BigInt(id);
      if (value > after && value < from) from = value;
    }
    // On the wire, an id of zero means that it is absent.
    return (from > 0n ? from : 1n).toString();
  }

  /**
   * Records the first read of the most recent trades. The opening position includes all older ones.
   */
  readLatest(marketId: MarketId, ids: readonly Int64Id[]): void {
    const market = this.#market(marketId);
    const values = ids.map((id) => BigInt(id));
    const first = values.reduce<bigint | undefined>(
      (least, id) => (least === undefined || id < least ? id : least),
      undefined,
    );
    if (first !== undefined) market.foldedThrough = first - 1n;
    market.readThrough = values.reduce((most, id) => (id > most ? id : most), 0n);
  }

  /** Records that all pages up to and with this trade were read. */
  readTo(marketId: MarketId, lastId: Int64Id | undefined): void {
    const market = this.#market(marketId);
    if (lastId !== undefined && BigInt(lastId) > market.readThrough)
      market.readThrough = BigInt(lastId);
  }

  /**
   * Ends a reconciliation: folds the final trades that an earlier one had already read, so that
   * each is read twice.
   */
  fold(): void {
    for (const market of this.#markets.values()) {
      if (market.readBefore > market.foldedThrough) market.foldedThrough = market.readBefore;
      market.readBefore = market.readThrough;
      for (const [id, trade] of market.trades) {
        if (BigInt(id) <= market.foldedThrough && isFinalTrade(trade)) market.trades.delete(id);
      }
    }
  }

  /** Number of trades kept individually: those that may still change, and the last interval. */
  get heldTrades(): number {
    let held = 0;
    for (const market of this.#markets.values()) held += market.trades.size;
    return held;
  }

  #market(marketId: MarketId): MarketLedger {
    let market = this.#markets.get(marketId);
    if (market === undefined) {
      market = {
        baseLots: 0,
        hasBase: false,
        buyLots: 0,
        sellLots: 0,
        unsettledBuyLots: 0,
        unsettledSellLots: 0,
        acquiredLots: 0,
        version: 0,
        positionHistory: [],
        isHistoryBroken: false,
        lately: new Set(),
        trades: new Map(),
        foldedThrough: NONE,
        readThrough: NONE,
        readBefore: NONE,
      };
      this.#markets.set(marketId, market);
    }
    return market;
  }
}

const NONE = -1n;
const NO_LOTS: SideLots = { buy: 0, sell: 0 };
/**
 * Maximum number of intermediate positions during one query. Beyond it, the response is compared
 * with the first ones only, and the query is repeated.
 */
const HISTORY_LIMIT = 1000;
/**
 * Maximum number of intermediate positions that one list may add. A page of trades has to fit in
 * after them, or its sum would be missing.
 */
const MOST_MOMENTS = 250;

function count(market: MarketLedger, trade: VenueTrade, times: 1 | -1): void {
  if (trade.side === "BUY") market.buyLots += times * trade.lots;
  else market.sellLots += times * trade.lots;
  if (trade.restPaper !== undefined) market.isHistoryBroken = true;
  noteChange(market);
}

function countUnsettled(
  market: MarketLedger,
  { side, lots, restPaper }: VenueTrade,
  times: 1 | -1,
): void {
  const atMost = restPaper === undefined ? lots : lots + 1;
  if (side === "BUY") market.unsettledBuyLots += times * atMost;
  else market.unsettledSellLots += times * atMost;
}

function netLots({ buyLots, sellLots, acquiredLots }: MarketLedger): Lots {
  return buyLots - sellLots + acquiredLots;
}

function noteChange(market: MarketLedger): void {
  market.version += 1;
  noteMoment(market, netLots(market));
}

function noteMoment({ positionHistory }: MarketLedger, lots: Lots): void {
  if (positionHistory.length < HISTORY_LIMIT) positionHistory.push(lots);
}

/** Cumulative signed lots: of no trade, of the first, of the first two, and so on. */
function sumsOf(trades: readonly VenueTrade[]): Lots[] {
  const sums = [0];
  for (const { side, lots } of trades) sums.push((sums.at(-1) as Lots) + sideSign(side) * lots);
  return sums;
}

function isCounted(trade: VenueTrade | undefined): boolean {
  return trade !== undefined && !isFailedTrade(trade);
}

/**
 * Adds a trade that came and failed before we received either: positions listed meanwhile may
 * include it.
 */
function noteMissed(market: MarketLedger, trade: VenueTrade): void {
  count(market, trade, 1);
  count(market, trade, -1);
}
