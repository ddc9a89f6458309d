import type { Lots, Ticks } from "../core/units.js";
import type { Quote } from "../strategies/intent.js";
import type { WorkingOrder } from "./working-order.js";

/**
 * Maximum deviation of a kept order from its quote. It trades a fresher price for the queue
 * position.
 */
export interface QuoteTolerance {
  /** Ticks, in either direction; 0 requires the exact price. */
  readonly priceTicks: number;
  /** Fraction of the quote's size, in either direction; 0 requires the exact size. */
  readonly sizeFraction: number;
}

/**
 * A quote and the price at which it would be placed now: behind the touch, if the desired price
 * would cross it.
 */
export interface WantedQuote {
  readonly quote: Quote;
  readonly placeTicks: Ticks;
}

/** Rounding slack. A fraction of a size is a float: 0.57 of 100 lots is a little less than 57. */
const FLOAT_SLACK_LOTS = 1e-6;

/** The result of matching one side. */
export interface QuoteMatching {
  /** The kept order of each quote, by the quote's index; undefined if none matches. */
  readonly orderOfQuote: readonly (WorkingOrder | undefined)[];
  /** The slot of each quote without an order, by the quote's index. */
  readonly slotOfQuote: readonly (number | undefined)[];
}

/**
 * Matches orders to the quotes of one side so that as many as possible are kept, price before
 * level.
 *
 * An order never changes its slot. A new order takes any slot without a kept order, so its slot may
 * have another level than its quote. One rule limits this: the open size in a slot never exceeds
 * the largest size that an intent has wanted there since the slot was last empty. A quote therefore
 * takes another level's slot only if the present intent wants at least the quote's size there. If
 * no such assignment exists, each quote keeps only an order of its own level.
 * @param intended every quote of the present intent, including those not desired now: the sizes
 * that it wants in the slots of this side
 */
export function matchQuotes(
  wanted: readonly WantedQuote[],
  intended: readonly Quote[],
  orders: readonly WorkingOrder[],
  tolerance: QuoteTolerance,
  minLots: Lots,
): QuoteMatching {
  const free = match(wanted, orders, tolerance, minLots, false);
  const slotOfQuote = assignSlots(wanted, intended, free);
  if (slotOfQuote !== undefined) return { orderOfQuote: free, slotOfQuote };
  const strict = match(wanted, orders, tolerance, minLots, true);
  return {
    orderOfQuote: strict,
    slotOfQuote: wanted.map(({ quote }, i) => (strict[i] === undefined ? quote.level : undefined)),
  };
}

/** Maximum matching, quotes innermost first, so that the unmatched ones are the outermost. */
function match(
  wanted: readonly WantedQuote[],
  orders: readonly WorkingOrder[],
  tolerance: QuoteTolerance,
  minLots: Lots,
  ownLevelOnly: boolean,
): readonly (WorkingOrder | undefined)[] {
  const best = new Array<WorkingOrder | undefined>(wanted.length);
  for (let index = 0; index < wanted.length; index++) {
    const order = bestOf(wanted[index], orders, tolerance, minLots, ownLevelOnly);
    // Nearly always each quote prefers a different order. Only if two prefer the same one does one
    // have to change.
    if (order !== undefined && best.includes(order))
      return augmented(wanted, orders, tolerance, minLots, ownLevelOnly);
    best[index] = order;
  }
  return best;
}

/** The same by augmenting paths (Kuhn's algorithm). */
function augmented(
  wanted: readonly WantedQuote[],
  orders: readonly WorkingOrder[],
  tolerance: QuoteTolerance,
  minLots: Lots,
  ownLevelOnly: boolean,
): readonly (WorkingOrder | undefined)[] {
  const candidates = wanted.map((want) =>
    candidatesOf(want, orders, tolerance, minLots, ownLevelOnly),
  );
  const quoteOfOrder = new Map<WorkingOrder, number>();
  const augment = (index: number, seen: Set<WorkingOrder>): boolean => {
    for (const order of candidates[index] ?? []) {
      if (seen.has(order)) continue;
      seen.add(order);
      const holder = quoteOfOrder.get(order);
      if (holder === undefined || augment(holder, seen)) {
        quoteOfOrder.set(order, index);
        return true;
      }
    }
    return false;
  };
  for (let index = 0; index < wanted.length; index++) augment(index, new Set());
  const orderOfQuote: (WorkingOrder | undefined)[] = wanted.map(() => undefined);
  for (const [order, index] of quoteOfOrder) orderOfQuote[index] = order;
  return orderOfQuote;
}

/** The first of {@link candidatesOf}. */
function bestOf(
  want: WantedQuote,
  orders: readonly WorkingOrder[],
  tolerance: QuoteTolerance,
  minLots: Lots,
  ownLevelOnly: boolean,
): WorkingOrder | undefined {
  let best: WorkingOrder | undefined;
  for (const order of orders) {
    if (!mayServe(order, want, tolerance, minLots, ownLevelOnly)) continue;
    if (best === undefined || bySuitability(order, best, want) < 0) best = order;
  }
  return best;
}

function candidatesOf(
  want: WantedQuote,
  orders: readonly WorkingOrder[],
  tolerance: QuoteTolerance,
  minLots: Lots,
  ownLevelOnly: boolean,
): readonly WorkingOrder[] {
  return orders
    .filter((order) => mayServe(order, want, tolerance, minLots, ownLevelOnly))
    .sort((a, b) => bySuitability(a, b, want));
}

function mayServe(
  order: WorkingOrder,
  want: WantedQuote,
  tolerance: QuoteTolerance,
  minLots: Lots,
  ownLevelOnly: boolean,
): boolean {
  const { side, level } = want.quote;
  return (
    order.side === side &&
    (!ownLevelOnly || order.level === level || order.level < 0) &&
    isRight(order, want, tolerance, minLots)
  );
}

function bySuitability(a: WorkingOrder, b: WorkingOrder, want: WantedQuote): number {
  const { level, lots } = want.quote;
  return (
    offBy(a, want) - offBy(b, want) ||
    Number(a.level !== level) - Number(b.level !== level) ||
    Math.abs(a.mayFillLots - lots) - Math.abs(b.mayFillLots - lots)
  );
}

/** Returns true if an order matches its quote within tolerance. */
function isRight(
  order: WorkingOrder,
  want: WantedQuote,
  tolerance: QuoteTolerance,
  minLots: Lots,
): boolean {
  if (offBy(order, want) > tolerance.priceTicks) return false;
  const { lots } = want.quote;
  // The remainder of a partly filled order may be too small for the exchange to accept again.
  // Cancelling it would only lose its queue position.
  const isDust =
    order.mayFillLots < minLots && order.mayFillLots < order.lots && order.mayFillLots <= lots;
  return (
    isDust || Math.abs(order.mayFillLots - lots) <= tolerance.sizeFraction * lots + FLOAT_SLACK_LOTS
  );
}

function offBy(order: WorkingOrder, want: WantedQuote): number {
  return Math.min(
    Math.abs(order.ticks - want.quote.ticks),
    Math.abs(order.ticks - want.placeTicks),
  );
}

/**
 * A slot for each quote without an order; undefined if the sizes requested of the free slots do not
 * allow it.
 */
function assignSlots(
  wanted: readonly WantedQuote[],
  intended: readonly Quote[],
  orderOfQuote: readonly (WorkingOrder | undefined)[],
): readonly (number | undefined)[] | undefined {
  if (wanted.length === 0) return NO_SLOTS;
  const slotOfQuote = new Array<number | undefined>(wanted.length);
  let homeless: number[] | undefined;
  // A free slot of its own level always suits a quote best. Giving it to another quote could not
  // make more assignments possible.
  for (let index = 0; index < wanted.length; index++) {
    const { level } = wanted[index].quote;
    const isOwnFree =
      orderOfQuote[index] === undefined && !isTaken(level, orderOfQuote, slotOfQuote);
    slotOfQuote[index] = isOwnFree ? level : undefined;
    if (orderOfQuote[index] !== undefined || isOwnFree) continue;
    homeless ??= [];
    homeless.push(index);
  }
  return homeless === undefined
    ? slotOfQuote
    : withSlotsOfOthers(wanted, intended, orderOfQuote, slotOfQuote, homeless);
}

/**
 * The same for quotes whose own slot is taken, by index: each gets a free slot of another level. A
 * separate function, because variables captured by a closure are allocated with each call of the
 * function around it.
 */
function withSlotsOfOthers(
  wanted: readonly WantedQuote[],
  intended: readonly Quote[],
  orderOfQuote: readonly (WorkingOrder | undefined)[],
  slotOfQuote: (number | undefined)[],
  homeless: number[],
): readonly (number | undefined)[] | undefined {
  const { side } = wanted[homeless[0]].quote;
  const lotsOf = (index: number) => wanted[index].quote.lots;
  homeless.sort((a, b) => lotsOf(b) - lotsOf(a));
  const open = intended
    .filter((slot) => slot.side === side && !isTaken(slot.level, orderOfQuote, slotOfQuote))
    .sort((a, b) => b.lots - a.lots);
  for (const [position, index] of homeless.entries()) {
    const slot = open[position];
    if (slot === undefined || slot.lots < lotsOf(index)) return undefined;
    slotOfQuote[index] = slot.level;
  }
  return slotOfQuote;
}

const NO_SLOTS: readonly undefined[] = [];

/** Returns true if a slot holds a kept order, or is assigned to another quote. */
function isTaken(
  level: number,
  orderOfQuote: readonly (WorkingOrder | undefined)[],
  slotOfQuote: readonly (number | undefined)[],
): boolean {
  for (const order of orderOfQuote) if (order?.level === level) return true;
  return slotOfQuote.includes(level);
}
