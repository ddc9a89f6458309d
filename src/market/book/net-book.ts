import type { Lots, Side, Ticks } from "../../core/units.js";
import type { OwnRestingOrder } from "./own-order-overlay.js";
import type { Level, ReadableBook, ReadableSide } from "./readable-book.js";

/** The best price of each side without the bot's own orders, in ticks. */
export interface NetTouch {
  readonly bidTicks: Ticks;
  readonly askTicks: Ticks;
}

/**
 * At most `depth` levels of one side without the bot's own amounts, best first, frozen. A level
 * with only the bot's orders is left out.
 * @param known result of an earlier call for the same side. Its unchanged levels are reused, and
 * most are unchanged.
 */
export function netLevels(
  side: ReadableSide,
  own: readonly OwnRestingOrder[],
  depth: number,
  known: readonly Level[] = NO_LEVELS,
): readonly Level[] {
  // Each own order is at one price, so at most as many levels as orders can be entirely ours.
  const most = depth + own.length;
  if (PAIRS.length < 2 * most) PAIRS = new Float64Array(2 * most);
  const pairs = PAIRS;
  const count = withoutOwn(pairs, side.topInto(pairs, most), side.side, own, depth);
  if (count === known.length && isKnown(pairs, known)) return known;
  const isBid = side.side === "BUY";
  const levels = new Array<Level>(count);
  for (let to = 0, at = 0; to < count; to++) {
    const ticks = pairs[2 * to];
    const lots = pairs[2 * to + 1];
    while (at < known.length && (isBid ? known[at].ticks > ticks : known[at].ticks < ticks)) at++;
    const isKept = at < known.length && known[at].ticks === ticks && known[at].lots === lots;
    levels[to] = isKept ? known[at] : Object.freeze({ ticks, lots });
  }
  return Object.freeze(levels);
}

function isKnown(pairs: Float64Array, known: readonly Level[]): boolean {
  for (let at = 0; at < known.length; at++) {
    if (known[at].ticks !== pairs[2 * at] || known[at].lots !== pairs[2 * at + 1]) return false;
  }
  return true;
}

const NO_LEVELS: readonly Level[] = Object.freeze([]);

/** Buffer for the levels of the present call. */
let PAIRS = new Float64Array(64);

/**
 * Subtracts our own amounts from pairs of ticks and lots in place, keeping at most `depth` levels.
 * Returns their number.
 */
function withoutOwn(
  pairs: Float64Array,
  read: number,
  side: Side,
  own: readonly OwnRestingOrder[],
  depth: number,
): number {
  if (own.length === 0) return read;
  let count = 0;
  for (let at = 0; at < read && count < depth; at++) {
    const ticks = pairs[2 * at];
    const lots = pairs[2 * at + 1] - ownLotsAt(own, side, ticks);
    // An own amount above the level's means that the book lags our own order. No amount of others
    // is then known at that price.
    if (lots <= 0) continue;
    pairs[2 * count] = ticks;
    pairs[2 * count + 1] = lots;
    count++;
  }
  return count;
}

/**
 * The best price of each side without the bot's own orders; null if a side is empty without them.
 * @param known an earlier result, returned again if it is unchanged, as it mostly is
 */
export function netTouch(
  book: ReadableBook,
  own: readonly OwnRestingOrder[],
  known: NetTouch | null = null,
): NetTouch | null {
  const bidTicks = netBest(book.bids, own);
  const askTicks = netBest(book.asks, own);
  if (known !== null && known.bidTicks === bidTicks && known.askTicks === askTicks) return known;
  return Number.isNaN(bidTicks) || Number.isNaN(askTicks) ? null : { bidTicks, askTicks };
}

/**
 * The best price of one side without the bot's own orders. NaN if the side is empty without them.
 */
export function netBest(side: ReadableSide, own: readonly OwnRestingOrder[]): Ticks {
  const { bestTicks } = side;
  return ownLotsAt(own, side.side, bestTicks) === 0 ? bestTicks : bestBeyondOwn(side, own);
}

/**
 * The same when an own order is at the best price. A separate function, because variables captured
 * by a closure are allocated with each call of the function around it.
 */
function bestBeyondOwn(side: ReadableSide, own: readonly OwnRestingOrder[]): Ticks {
  let best = Number.NaN;
  side.walk((ticks, resting) => {
    if (resting <= ownLotsAt(own, side.side, ticks)) return true;
    best = ticks;
    return false;
  });
  return best;
}

/** Lots of our own orders at one price. */
export function ownLotsAt(own: readonly OwnRestingOrder[], side: Side, ticks: Ticks): Lots {
  let lots = 0;
  for (let i = 0; i < own.length; i++) {
    const order = own[i];
    if (order.ticks === ticks && order.side === side) lots += order.lots;
  }
  return lots;
}
