import { seededRandom } from "#core/seeded-random.js";
import { type Lots, type Side, sideSign, type Ticks } from "#core/units.js";
import { OrderBook } from "#market/order-book.js";

/**
 * A seeded stream of level changes over a book of `levels` levels a side: most near the touch, as
 * in a live market.
 */
export interface BookChanges {
  /** 1 for a bid, 0 for an ask. */
  readonly bids: Uint8Array;
  readonly ticks: Float64Array;
  readonly lots: Float64Array;
  /** The initial book, as flat pairs. */
  readonly initial: { readonly bids: readonly number[]; readonly asks: readonly number[] };
}

const MID = 600_000;

/** The share of changes that delete. With this many prices in reach it keeps the rest full. */
const DELETIONS = 0.15;

/**
 * Generates sets, deletions and re-insertions that keep about `levels` levels a side full, around a
 * mid that moves by a tick with one change in twenty. The distance of a change from the touch is
 * distributed like a square: half of all fall on the nearest quarter.
 */
export function bookChanges(levels: number, count: number, seed: string): BookChanges {
  const random = seededRandom(seed);
  const amount = () => 1 + Math.floor(random.uniform() * 1000);
  const reach = Math.round(levels / (1 - DELETIONS));
  const initial: { bids: number[]; asks: number[] } = { bids: [], asks: [] };
  for (let level = 0; level < levels; level++) {
    initial.bids.push(MID - 1 - level, amount());
    initial.asks.push(MID + 1 + level, amount());
  }
  const bids = new Uint8Array(count);
  const ticks = new Float64Array(count);
  const lots = new Float64Array(count);
  let mid = MID;
  for (let at = 0; at < count; at++) {
    if (random.uniform() < 0.05) {
      // The level onto which the mid moves is consumed; the one that it leaves can be quoted again.
      const up = random.uniform() < 0.5;
      mid += up ? 1 : -1;
      bids[at] = up ? 0 : 1;
      ticks[at] = mid;
      lots[at] = 0;
      continue;
    }
    const level = Math.floor(random.uniform() ** 2 * reach);
    bids[at] = random.uniform() < 0.5 ? 1 : 0;
    ticks[at] = bids[at] === 1 ? mid - 1 - level : mid + 1 + level;
    lots[at] = random.uniform() < DELETIONS ? 0 : amount();
  }
  return { bids, ticks, lots, initial };
}

/** A level of one update, with its absolute amount. */
export interface ChangedLevel {
  readonly side: Side;
  readonly ticks: Ticks;
  readonly lots: Lots;
}

/**
 * The changes from `from` to `to`, exclusive, as one update of an exchange: each price of a side
 * once, with its final amount. An update that names a price twice would have an intermediate best
 * price that no participant ever saw.
 */
export function updateOf(
  { bids, ticks, lots }: BookChanges,
  from: number,
  to: number,
): Iterable<ChangedLevel> {
  const levels = new Map<number, ChangedLevel>();
  for (let at = from; at < to; at++) {
    const level: ChangedLevel = {
      side: bids[at] === 1 ? "BUY" : "SELL",
      ticks: ticks[at] as number,
      lots: lots[at] as number,
    };
    levels.set(level.ticks * sideSign(level.side), level);
  }
  return levels.values();
}

/**
 * Applies the first `count` changes to our book, reading both best prices after each. Returns the
 * sum of the prices.
 */
export function applyToBook(changes: BookChanges, count: number): number {
  const book = new OrderBook();
  fill(changes, (side, ticks, lots) => book.set(side, ticks, lots));
  const { bids, ticks, lots } = changes;
  let read = 0;
  for (let at = 0; at < count; at++) {
    book.set(bids[at] === 1 ? "BUY" : "SELL", ticks[at], lots[at]);
    read += book.bids.bestTicks + book.asks.bestTicks;
  }
  return read;
}

/** The same on a Map per side that is scanned for its best price. */
export function applyToMaps(changes: BookChanges, count: number): number {
  const sides = { BUY: new Map<number, number>(), SELL: new Map<number, number>() };
  const set = (side: "BUY" | "SELL", ticks: number, lots: number) => {
    if (lots === 0) sides[side].delete(ticks);
    else sides[side].set(ticks, lots);
  };
  fill(changes, set);
  const { bids, ticks, lots } = changes;
  let read = 0;
  for (let at = 0; at < count; at++) {
    set(bids[at] === 1 ? "BUY" : "SELL", ticks[at], lots[at]);
    let bestBid = Number.NEGATIVE_INFINITY;
    for (const price of sides.BUY.keys()) if (price > bestBid) bestBid = price;
    let bestAsk = Number.POSITIVE_INFINITY;
    for (const price of sides.SELL.keys()) if (price < bestAsk) bestAsk = price;
    read += bestBid + bestAsk;
  }
  return read;
}

function fill(
  { initial }: BookChanges,
  set: (side: "BUY" | "SELL", ticks: number, lots: number) => void,
): void {
  for (let at = 0; at < initial.bids.length; at += 2)
    set("BUY", initial.bids[at], initial.bids[at + 1]);
  for (let at = 0; at < initial.asks.length; at += 2)
    set("SELL", initial.asks[at], initial.asks[at + 1]);
}
