import type { Lots, Ms, Side, Ticks } from "../../core/units.js";
import type { ReadableBook } from "./readable-book.js";

/**
 * An own order that rests, or may rest, on the exchange's book: side, price and remaining amount.
 */
export interface OwnRestingOrder {
  readonly side: Side;
  readonly ticks: Ticks;
  readonly lots: Lots;
}

/**
 * Maximum delay between the book's stream and the updates of our own orders. The exchange batches
 * book changes, and the two streams are separate.
 */
const MAX_DELAY_MS: Ms = 300;

type Place = Pick<OwnRestingOrder, "side" | "ticks">;

/** An own order that the book may show. */
export interface OwnBookOrder extends OwnRestingOrder {
  /** Lots on the book according to the account. 0 for an order that is sent and not confirmed. */
  readonly lots: Lots;
  /** Lots on the book once the request in flight has arrived. 0 for an order with a sent cancel. */
  readonly dueLots: Lots;
}

/**
 * Estimates the part of the book that consists of our own orders. It may differ from the account's
 * state, because the two come on separate streams and either may be ahead.
 *
 * If our order is mistaken for another's, the mid moves half way to our own quote, and the
 * following quotes move it further. If another's order is mistaken for ours, the touch is a price
 * that is not in the market.
 *
 * Updates of the book carry no creation time (public stream documentation, "order book"). But a
 * level passes through our amounts in their true order, from the sending of an order on. The book
 * is at the first of these amounts that leaves the other participants' amount unchanged.
 */
export class OwnOrderOverlay {
  #own: readonly OwnBookOrder[] = NONE;
  #levels: readonly OwnLevel[] = NONE;
  #shown: readonly OwnRestingOrder[] = NONE;

  /** Our orders as the book shows them, by price. */
  get shown(): readonly OwnRestingOrder[] {
    return this.#shown;
  }

  /**
   * Updates our orders after each change of them or of the book.
   * @param own the same list as long as nothing in it has changed
   * @param nowMs of a clock that never steps back
   */
  note(own: readonly OwnBookOrder[], book: ReadableBook, nowMs: Ms): void {
    const isSame = own === this.#own;
    if (!isSame) {
      this.#own = own;
      const levels = this.#levels.filter(({ isOver }) => !isOver);
      this.#levels = [...levels, ...newLevels(own, levels, book)];
    }
    let isMoved = false;
    for (const level of this.#levels) {
      const before = level.ownLots;
      if (!isSame) level.take(own, nowMs);
      level.matchShown(shownLots(book, level), nowMs);
      if (level.ownLots !== before) isMoved = true;
    }
    if (isMoved)
      this.#shown = this.#levels
        .filter(({ ownLots }) => ownLots > 0)
        .map(({ side, ticks, ownLots }) => ({ side, ticks, lots: ownLots }));
  }
}

/** An own amount that the book may still show, or that it passes through. */
interface Step {
  readonly lots: Lots;
  /**
   * End of the amount's validity. Infinity while it is the account's present or expected amount.
   */
  untilMs: Ms;
}

/** A price at which we have orders, recently had orders, or have sent one. */
class OwnLevel {
  readonly side: Side;
  readonly ticks: Ticks;
  /** Our lots in the book. */
  ownLots: Lots = 0;
  #othersLots: Lots;
  /**
   * The others' amount before the level last changed by an amount that none of our steps explains.
   * The new amount was then inferred from the account's state. It is too small if a fill was not
   * reported yet, so this earlier amount is tried first until `untilMs`.
   */
  #before: Step = { lots: 0, untilMs: Number.NEGATIVE_INFINITY };
  #shownLots: Lots;
  #reportedLots: Lots;
  /**
   * Our amounts in time order. The first is, or was, the amount in the book; the last is the amount
   * that it will show.
   */
  #steps: readonly Step[];
  /** The account's present amount, which the book may have passed. */
  #reportedStep: Step;

  /**
   * @param reportedLots lots of orders that were not seen being sent: from an earlier run, long in
   * the book
   */
  constructor({ side, ticks }: Place, reportedLots: Lots, shownLots: Lots) {
    this.side = side;
    this.ticks = ticks;
    this.#shownLots = shownLots;
    this.#othersLots = Math.max(0, shownLots - reportedLots);
    this.#reportedLots = reportedLots;
    this.#reportedStep = { lots: reportedLots, untilMs: Number.POSITIVE_INFINITY };
    this.#steps = [this.#reportedStep];
  }

  /** True if no own order rests here, is in flight, or may still be shown. */
  get isOver(): boolean {
    return this.#reportedLots === 0 && this.#isSettled && this.#due.lots === 0;
  }

  /** Updates our orders. */
  take(own: readonly OwnBookOrder[], nowMs: Ms): void {
    const here = own.filter((order) => isAt(order, this));
    const reportedLots = sumReportedLots(here);
    const dueLots = here.reduce((sum, order) => sum + order.dueLots, 0);
    if (reportedLots === this.#reportedLots && dueLots === this.#due.lots) return;
    const steps = [...this.#steps];
    const push = (lots: Lots): Step =>
      steps[steps.push({ lots, untilMs: Number.POSITIVE_INFINITY }) - 1] as Step;
    if (reportedLots !== this.#reportedLots) {
      this.#reportedLots = reportedLots;
      this.#reportedStep =
        steps
          .slice(steps.indexOf(this.#reportedStep) + 1)
          .find(({ lots }) => lots === reportedLots) ?? push(reportedLots);
    }
    if (steps.at(-1)?.lots !== dueLots) push(dueLots);
    this.#steps = steps;
    if (reportedLots === dueLots) this.#reportedStep = this.#due;
    for (const step of steps) {
      if (step === this.#reportedStep || step === this.#due)
        step.untilMs = Number.POSITIVE_INFINITY;
      else step.untilMs = Math.min(step.untilMs, nowMs + MAX_DELAY_MS);
    }
  }

  /** Determines which of our amounts the book shows. */
  matchShown(shownLots: Lots, nowMs: Ms): void {
    if (shownLots === this.#shownLots && this.#isSettled && this.ownLots === this.#due.lots) return;
    this.#shownLots = shownLots;
    this.#steps = this.#steps.filter(({ untilMs }) => nowMs < untilMs);
    const beside = (othersLots: Lots): Step | undefined =>
      this.#steps.find(({ lots }) => shownLots - lots === othersLots);
    const isGuess = nowMs < this.#before.untilMs;
    const asBefore = isGuess ? beside(this.#before.lots) : undefined;
    let step = asBefore ?? beside(this.#othersLots);
    if (asBefore !== undefined) this.#before = { lots: this.#before.lots, untilMs: nowMs };
    else if (step === undefined && !isGuess)
      this.#before = { lots: this.#othersLots, untilMs: nowMs + MAX_DELAY_MS };
    // If the others changed too, the account's amount is used, unless the book is past it.
    step ??=
      this.#steps.find(({ lots }) => lots === this.#reportedLots) ?? (this.#steps[0] as Step);
    this.ownLots = step.lots;
    // A level below our amount means an unreported fill or an order that is not shown yet. It says
    // nothing about the others.
    if (shownLots < step.lots) return;
    this.#steps = this.#steps.slice(this.#steps.indexOf(step));
    this.#othersLots = shownLots - step.lots;
  }

  get #due(): Step {
    return this.#steps[this.#steps.length - 1] as Step;
  }

  get #isSettled(): boolean {
    return this.#steps.length === 1;
  }
}

const NONE: readonly never[] = [];

/** The prices at which an own order is new. */
function newLevels(
  own: readonly OwnBookOrder[],
  known: readonly OwnLevel[],
  book: ReadableBook,
): readonly OwnLevel[] {
  const levels: OwnLevel[] = [];
  for (const order of own) {
    const isHere = (place: Place): boolean => isAt(place, order);
    if (!known.some(isHere) && !levels.some(isHere))
      levels.push(new OwnLevel(order, sumReportedLots(own.filter(isHere)), shownLots(book, order)));
  }
  return levels;
}

function isAt(one: Place, other: Place): boolean {
  return one.ticks === other.ticks && one.side === other.side;
}

function sumReportedLots(orders: readonly OwnBookOrder[]): Lots {
  return orders.reduce((sum, { lots }) => sum + lots, 0);
}

function shownLots(book: ReadableBook, { side, ticks }: Place): Lots {
  return (side === "BUY" ? book.bids : book.asks).lotsAt(ticks);
}
