import type { Lots, Ms, Side, Ticks } from "../../core/units.js";
import type { ReadableBook } from "./readable-book.js";

/**
 * An order of the bot that rests, or may rest, on the exchange's book: side, price and the amount
 * still on the book.
 */
export interface OwnRestingOrder {
  readonly side: Side;
  readonly ticks: Ticks;
  readonly lots: Lots;
}

/**
 * How far the book's stream and the news of our own orders may be apart: the book gathers changes,
 * and the two come on ways of their own.
 */
const MAX_DELAY_MS: Ms = 300;

type Place = Pick<OwnRestingOrder, "side" | "ticks">;

/** An order of the bot that the book may show. */
export interface OwnBookOrder extends OwnRestingOrder {
  /**
   * What is on the book by the account's word: nothing of an order that was sent and not heard of.
   */
  readonly lots: Lots;
  /**
   * What will be once the request that is under way has arrived: nothing of an order whose cancel
   * was sent.
   */
  readonly dueLots: Lots;
}

/**
 * What the book shows of our own orders, which is not what the account tells: the two come on
 * streams of their own, and either may be ahead. Ours taken for somebody else's moves the mid half
 * way to our own quote, and the quotes that follow move it further; somebody else's taken for ours
 * is a price that nobody sees.
 *
 * The stream says of no update when it was made (public stream documentation, "order book"), but a
 * level passes through our amounts in the order in which they came to be, from the sending of an
 * order on: it is at the first of them beside which others have what they had.
 */
export class OwnOrderOverlay {
  #own: readonly OwnBookOrder[] = NONE;
  #levels: readonly OwnLevel[] = NONE;
  #shown: readonly OwnRestingOrder[] = NONE;

  /** What the book shows of ours, by price. */
  get shown(): readonly OwnRestingOrder[] {
    return this.#shown;
  }

  /**
   * Takes our orders as they are now, after each change of them or of the book. @param own the same
   * list as long as nothing of it has changed.
   * @param nowMs of a clock that never steps back.
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

/** An amount that the book may still show, or that it passes through. */
interface Step {
  readonly lots: Lots;
  /** Of ours: Infinity while the account's word is that it is so, or it is to be so. */
  untilMs: Ms;
}

/** A price at which we have orders, had them a moment ago or have sent one. */
class OwnLevel {
  readonly side: Side;
  readonly ticks: Ticks;
  /** What the book shows of ours. */
  ownLots: Lots = 0;
  #othersLots: Lots;
  /**
   * What others had before the account's word alone said what they have, which a fill that it does
   * not tell yet makes too little.
   */
  #before: Step = { lots: 0, untilMs: Number.NEGATIVE_INFINITY };
  #shownLots: Lots;
  #reportedLots: Lots;
  /**
   * Ours in the order in which they come to be: where the book is, or was, the first; where it will
   * be, the last.
   */
  #steps: readonly Step[];
  /** Where the account is, which the book may have passed. */
  #reportedStep: Step;

  /**
   * @param toldLots of orders that nobody saw being sent: of an earlier run, which the book has
   * shown for long.
   */
  constructor({ side, ticks }: Place, toldLots: Lots, shownLots: Lots) {
    this.side = side;
    this.ticks = ticks;
    this.#shownLots = shownLots;
    this.#othersLots = Math.max(0, shownLots - toldLots);
    this.#reportedLots = toldLots;
    this.#reportedStep = { lots: toldLots, untilMs: Number.POSITIVE_INFINITY };
    this.#steps = [this.#reportedStep];
  }

  /** Whether nothing of ours rests here, nor is under way, nor may still be shown. */
  get isOver(): boolean {
    return this.#reportedLots === 0 && this.#isSettled && this.#due.lots === 0;
  }

  /** Takes our orders as they are now. */
  take(own: readonly OwnBookOrder[], nowMs: Ms): void {
    const here = own.filter((order) => isAt(order, this));
    const toldLots = sumReportedLots(here);
    const dueLots = here.reduce((sum, order) => sum + order.dueLots, 0);
    if (toldLots === this.#reportedLots && dueLots === this.#due.lots) return;
    const steps = [...this.#steps];
    const push = (lots: Lots): Step =>
      steps[steps.push({ lots, untilMs: Number.POSITIVE_INFINITY }) - 1] as Step;
    if (toldLots !== this.#reportedLots) {
      this.#reportedLots = toldLots;
      this.#reportedStep =
        steps.slice(steps.indexOf(this.#reportedStep) + 1).find(({ lots }) => lots === toldLots) ??
        push(toldLots);
    }
    if (steps.at(-1)?.lots !== dueLots) push(dueLots);
    this.#steps = steps;
    if (toldLots === dueLots) this.#reportedStep = this.#due;
    for (const step of steps) {
      if (step === this.#reportedStep || step === this.#due)
        step.untilMs = Number.POSITIVE_INFINITY;
      else step.untilMs = Math.min(step.untilMs, nowMs + MAX_DELAY_MS);
    }
  }

  /** Finds out which of our amounts the book shows. */
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
    // Where others changed too, the account's word stands, unless the book is beyond it.
    step ??=
      this.#steps.find(({ lots }) => lots === this.#reportedLots) ?? (this.#steps[0] as Step);
    this.ownLots = step.lots;
    // What is less than ours is a fill that is not told yet, or an order that is not shown yet: of
    // others it says nothing.
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

/** Those at which an order of ours has come. */
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
