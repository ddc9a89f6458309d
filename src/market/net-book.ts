import type { Lots, Side, Ticks } from "../core/units.js";
import type { ReadableBook, ReadableSide } from "./readable-book.js";
import type { Level } from "./view.js";

/** An order of the bot that rests, or may rest, on the exchange's book: side, price and the amount still on the book. */
export interface OwnRestingOrder {
  readonly side: Side;
  readonly ticks: Ticks;
  readonly lots: Lots;
}

/** The best price of each side, in ticks. */
export interface Touch {
  readonly bidTicks: Ticks;
  readonly askTicks: Ticks;
}

/**
 * At most `depth` levels of one side, best first, without the bot's own amounts, each frozen. A level that is wholly the bot's is no level.
 * @param known frozen levels of an earlier look at the same side, best first: those that stand are given again, since most do.
 */
export function netLevels(side: ReadableSide, own: readonly OwnRestingOrder[], depth: number, known: readonly Level[] = []): Level[] {
  const levels: Level[] = [];
  const isBid = side.side === "BUY";
  let at = 0;
  side.walk((ticks, resting) => {
    if (levels.length >= depth) return false;
    const lots = resting - ownLotsAt(own, side.side, ticks);
    // An own amount above the level's is a book that lags our own acceptance: nothing of others' is known to rest there.
    if (lots <= 0) return true;
    let before = known[at];
    while (before !== undefined && (isBid ? before.ticks > ticks : before.ticks < ticks)) before = known[++at];
    const stands = before !== undefined && before.ticks === ticks && before.lots === lots;
    levels.push(stands ? (before as Level) : Object.freeze({ ticks, lots }));
    return true;
  });
  return levels;
}

/**
 * The best price of each side without the bot's own orders; null when a side is empty without them.
 * @param known what an earlier look found: given again where it stands, as it mostly does.
 */
export function netTouch(book: ReadableBook, own: readonly OwnRestingOrder[], known: Touch | null = null): Touch | null {
  const bidTicks = netBest(book.bids, own);
  const askTicks = netBest(book.asks, own);
  if (known !== null && known.bidTicks === bidTicks && known.askTicks === askTicks) return known;
  return Number.isNaN(bidTicks) || Number.isNaN(askTicks) ? null : { bidTicks, askTicks };
}

/** The best price of one side without the bot's own orders; NaN when the side is empty without them. */
export function netBest(side: ReadableSide, own: readonly OwnRestingOrder[]): Ticks {
  if (ownLotsAt(own, side.side, side.bestTicks) === 0) return side.bestTicks;
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
