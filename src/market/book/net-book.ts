import type { Lots, Side, Ticks } from "../../core/units.js";
import type { OwnRestingOrder } from "./own-order-overlay.js";
import type { Level, ReadableBook, ReadableSide } from "./readable-book.js";

/** The best price of each side without the bot's own orders, in ticks. */
export interface NetTouch {
  readonly bidTicks: Ticks;
  readonly askTicks: Ticks;
}

/**
 * At most `depth` levels of one side, best first, without the bot's own amounts, all of it frozen. A level that is wholly the bot's is no
 * level.
 * @param known what an earlier look at the same side gave: of it, what stands is given again, since most does.
 */
export function netLevels(
  side: ReadableSide,
  own: readonly OwnRestingOrder[],
  depth: number,
  known: readonly Level[] = NO_LEVELS,
): readonly Level[] {
  // An order of ours is at one price: no more levels than there are orders can be wholly ours.
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

/** Levels as they are read, written anew each time. */
let PAIRS = new Float64Array(64);

/** Takes our own amounts off pairs of ticks and lots, in their place; what is left of them, `depth` at most. Says how many levels that is. */
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
    // An own amount above the level's is a book that lags our own acceptance: nothing of others' is known to rest there.
    if (lots <= 0) continue;
    pairs[2 * count] = ticks;
    pairs[2 * count + 1] = lots;
    count++;
  }
  return count;
}

/**
 * The best price of each side without the bot's own orders; null when a side is empty without them.
 * @param known what an earlier look found: given again where it stands, as it mostly does.
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

/** The best price of one side without the bot's own orders; NaN when the side is empty without them. */
export function netBest(side: ReadableSide, own: readonly OwnRestingOrder[]): Ticks {
  const { bestTicks } = side;
  return ownLotsAt(own, side.side, bestTicks) === 0 ? bestTicks : bestBeyondOwn(side, own);
}

/** The same where an order of the bot's is at the best price. Apart: what a closure holds is made with each call of the function around it. */
function bestBeyondOwn(side: ReadableSide, own: readonly OwnRestingOrder[]): Ticks {
  let best = Number.NaN;
  side.walk((ticks, resting) => {
    if (resting <= ownLotsAt(own, side.side, ticks)) return true;
    best = ticks;
    return false;
  });
  return best;
}

function ownLotsAt(own: readonly OwnRestingOrder[], side: Side, ticks: Ticks): Lots {
  let lots = 0;
  for (let i = 0; i < own.length; i++) {
    const order = own[i];
    if (order.ticks === ticks && order.side === side) lots += order.lots;
  }
  return lots;
}
