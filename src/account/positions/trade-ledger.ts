import type { Int64Id, Lots, MarketId, Ms, Side, SideLots } from "../../core/units.js";
import { sideSign } from "../../core/units.js";
import type { VenueTrade } from "../../exchange/records.js";
import { subsetSums } from "./subset-sums.js";
import { isFailedTrade, isFinalTrade, isLaterThan, isSettledTrade } from "./trade-status.js";

/** What a report of a trade meant. */
export type TradeEffect =
  /** First seen, and counted in the position from now on. */
  | { readonly news: "fill" }
  | { readonly news: "settled" }
  /** `lots`: signed change of the position; 0, and nothing counted, when it was first seen as failed. */
  | { readonly news: "failed"; readonly lots: Lots; readonly counted: VenueTrade | undefined };

interface MarketLedger {
  /** Position before any change in here: what the exchange's position less the trades and takeovers was when it was set. */
  baseLots: Lots;
  hasBase: boolean;
  /** Trades that did not fail, by side, since the ledger was begun. */
  buyLots: Lots;
  sellLots: Lots;
  /** Lots of the trades that may still fail, by side; a part of a lot counts as a whole one. */
  unsettledBuyLots: Lots;
  unsettledSellLots: Lots;
  /** Net lots that came without a trade since the ledger was begun: takeovers, what was taken back of them, and what rests of trades have summed to. */
  acquiredLots: Lots;
  /** Grows with every change of the position. */
  version: number;
  /** Net lots traded and taken over as they were when the trail was begun, and after every change since. */
  positionHistory: Lots[];
  /** A trade beyond whole lots has come since: what was held at its moments is no number of lots. */
  isHistoryBroken: boolean;
  /** Ids of the trades that were not settled when the trail was begun, and of all that came since. */
  readonly lately: Set<Int64Id>;
  readonly trades: Map<Int64Id, VenueTrade>;
  /** Every trade up to here is counted, and final unless it is still in `trades`. */
  foldedThrough: bigint;
  /** Every trade up to here was read from the exchange itself. */
  readThrough: bigint;
  /** What `readThrough` was at the last fold. */
  readBefore: bigint;
}

/**
 * The account's trades, each counted once however often and in whatever order they are told. The
 * position of a market is its base, every trade that has not failed
 * (docs/ideas/design.md#matched-is-not-filled), and what was taken over. Final trades that the
 * exchange itself has listed twice are folded into the sums, so that memory holds only the last
 * interval and what is not yet settled.
 */
export class TradeLedger {
  readonly #markets = new Map<MarketId, MarketLedger>();

  /** Takes a trade in. Undefined: nothing new. */
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
   * Call before the trades of one list are taken in. It tells where each has come to and not in which order: whether a trade failed before or after
   * others were made. Positions that were listed meanwhile may be of any moment between, and each goes on the trail.
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

  /** Signed position: base and every trade that did not fail. */
  positionLots(marketId: MarketId): Lots {
    const market = this.#markets.get(marketId);
    return market === undefined ? 0 : market.baseLots + netLots(market);
  }

  /** A takeover changes the position without a trade: at once, and for good. */
  acquire(marketId: MarketId, lots: Lots): void {
    const market = this.#market(marketId);
    market.acquiredLots += lots;
    noteChange(market);
  }

  /** What trades came to beyond whole lots is so many lots by now, signed. */
  carrySubLots(marketId: MarketId, lots: Lots): void {
    this.acquire(marketId, lots);
  }

  /** Whether the base of a market was ever set: before that its position means nothing. */
  hasBase(marketId: MarketId): boolean {
    return this.#markets.get(marketId)?.hasBase ?? false;
  }

  /** Sets the base so that the position is `lots` with the trades known now. */
  setPosition(marketId: MarketId, lots: Lots): void {
    const market = this.#market(marketId);
    market.baseLots = lots - netLots(market);
    market.hasBase = true;
    market.version += 1;
  }

  /** Grows with every change of a market's position: two equal readings mean that nothing came between. */
  version(marketId: MarketId): number {
    return this.#markets.get(marketId)?.version ?? 0;
  }

  /** From now on, every value that the lots traded and taken over come to is kept: the positions are being asked for. */
  beginPositionHistory(marketId: MarketId): void {
    const market = this.#market(marketId);
    market.positionHistory = [netLots(market)];
    market.isHistoryBroken = false;
    market.lately.clear();
    for (const [id, trade] of market.trades) if (!isFinalTrade(trade)) market.lately.add(id);
  }

  /** Net lots (bought less sold, and taken over) at every moment since the trail was begun, the present one last; none after a trade beyond whole lots. */
  positionHistory(marketId: MarketId): readonly Lots[] {
    const market = this.#markets.get(marketId);
    return market === undefined || market.isHistoryBroken ? [] : market.positionHistory;
  }

  /** Position before any change that is known: add a value of the trail for the position at that moment. */
  baseLots(marketId: MarketId): Lots {
    return this.#markets.get(marketId)?.baseLots ?? 0;
  }

  /** Lots of the trades that did not fail, on one side, since the ledger was begun. */
  tradedLots(marketId: MarketId, side: Side): Lots {
    const market = this.#markets.get(marketId);
    if (market === undefined) return 0;
    return side === "BUY" ? market.buyLots : market.sellLots;
  }

  /** Whether every known trade of a market is settled or failed. */
  isSettled(marketId: MarketId): boolean {
    for (const trade of this.#markets.get(marketId)?.trades.values() ?? [])
      if (!isFinalTrade(trade)) return false;
    return true;
  }

  /**
   * What a position that was told since the trail was begun may lack if it has trades from their settlement on, signed: 0 first, then every sum of
   * trades that had not settled at some moment since. They settle in any order, and that they have may be told after the position or before it.
   * @param sinceMs trades that were made before then are not among them.
   */
  unsettledLots(marketId: MarketId, sinceMs: Ms = Number.NEGATIVE_INFINITY): readonly Lots[] {
    const market = this.#markets.get(marketId);
    if (market === undefined) return [0];
    const unsettled: VenueTrade[] = [];
    for (const id of market.lately) {
      const trade = market.trades.get(id);
      if (trade !== undefined && isCounted(trade) && trade.timeMs >= sinceMs) unsettled.push(trade);
    }
    // The newest ones are the likeliest.
    unsettled.sort((one, other) => (BigInt(one.id) < BigInt(other.id) ? 1 : -1));
    return subsetSums(unsettled.map(({ side, lots }) => sideSign(side) * lots));
  }

  /** Whether one of the trades that a position told since the trail was begun may lack has something beyond whole lots. */
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
   * The trades that had not settled when the trail was begun and have not since, which a position that was told in between lacks for certain if it
   * has trades from their settlement on: their signed lots, and when the oldest was made. Undefined where one of them is over meanwhile: such a
   * position may have it or not.
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
   * By side, the lots of trades that are neither settled nor failed: all of them are in {@link positionLots}, and any of them may leave it again. A
   * part of a lot counts as a whole one.
   */
  unsettledBySide(marketId: MarketId): SideLots {
    const market = this.#markets.get(marketId);
    return market === undefined
      ? NO_LOTS
      : { buy: market.unsettledBuyLots, sell: market.unsettledSellLots };
  }

  /**
   * By side, the lots of trades that a position may have or lack: those that are neither settled nor failed, and all that were made since `sinceMs`;
   * and how many trades they are.
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
   * The next trade id to ask from, after `afterId`: the oldest trade that is not final, or the first one that the
   * exchange has not listed twice. Undefined when the exchange was never asked: ask for the most recent ones, since
   * what a stream told first is no lower bound.
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
    // An id of zero would read as none on the wire.
    return (from > 0n ? from : 1n).toString();
  }

  /** The most recent trades were read, for the first time: what is older than them is in the base. */
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

  /** All pages were read up to and with this trade. */
  readTo(marketId: MarketId, lastId: Int64Id | undefined): void {
    const market = this.#market(marketId);
    if (lastId !== undefined && BigInt(lastId) > market.readThrough)
      market.readThrough = BigInt(lastId);
  }

  /** A reconciliation is done: folds the final trades that an earlier one had read already, so that each is read twice. */
  fold(): void {
    for (const market of this.#markets.values()) {
      if (market.readBefore > market.foldedThrough) market.foldedThrough = market.readBefore;
      market.readBefore = market.readThrough;
      for (const [id, trade] of market.trades) {
        if (BigInt(id) <= market.foldedThrough && isFinalTrade(trade)) market.trades.delete(id);
      }
    }
  }

  /** Trades held one by one: those that may still change, and the last interval. */
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
/** Beyond so many trades during one question, its answer is compared with the first ones only, and asked for again. */
const HISTORY_LIMIT = 1000;
/** Moments between that one list may put there: a page of trades has to fit in after them, or what it comes to would be missing. */
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

function netLots({ buyLots, sellLots, acquiredLots: takenLots }: MarketLedger): Lots {
  return buyLots - sellLots + takenLots;
}

function noteChange(market: MarketLedger): void {
  market.version += 1;
  noteMoment(market, netLots(market));
}

function noteMoment({ positionHistory: trail }: MarketLedger, lots: Lots): void {
  if (trail.length < HISTORY_LIMIT) trail.push(lots);
}

/** Signed lots of no trade, of the first, of the first two, and so on. */
function sumsOf(trades: readonly VenueTrade[]): Lots[] {
  const sums = [0];
  for (const { side, lots } of trades) sums.push((sums.at(-1) as Lots) + sideSign(side) * lots);
  return sums;
}

function isCounted(trade: VenueTrade | undefined): boolean {
  return trade !== undefined && !isFailedTrade(trade);
}

/** A trade came and failed before we heard of it: positions listed meanwhile may have it in them. */
function noteMissed(market: MarketLedger, trade: VenueTrade): void {
  count(market, trade, 1);
  count(market, trade, -1);
}
