import type { Lots, Ms, Side, Ticks } from "../core/units.js";
import type { OwnRestingOrder } from "./net-book.js";
import type { ReadableBook } from "./readable-book.js";

/** How far the book's stream and the news of our own orders may be apart: the book gathers changes, and the two come on ways of their own. */
const APART_MS: Ms = 300;

/** An amount that was so until a moment ago. */
interface Before {
  readonly lots: Lots;
  readonly untilMs: Ms;
}

/**
 * What was cancelled or filled of our own orders and the book still shows, since its next update has not come. Taken for somebody else's, it
 * moves the mid half way to where our quote was, and the quotes that follow move it further.
 *
 * The stream says of no update when it was made (public stream documentation, "order book"), so none can be told to be newer than the end of an
 * order. A level tells it by its amount: while it is what we had there a moment ago beside just what others had, it is the level of before. Where
 * it may as well be the level without us, or is neither, it is believed as it stands.
 */
export class LeftInBook {
  #own: readonly OwnRestingOrder[] = NONE;
  #levels: readonly OwnLevel[] = NONE;
  #left: readonly OwnRestingOrder[] = NONE;

  /**
   * Takes our orders as they rest now, after each change of them or of the book. @param own the same list as long as nothing of it has changed.
   * @param nowMs of a clock that never steps back.
   */
  note(own: readonly OwnRestingOrder[], book: ReadableBook, nowMs: Ms): void {
    const isSame = own === this.#own;
    if (!isSame) {
      this.#own = own;
      this.#levels = [...this.#levels, ...newLevels(own, this.#levels, book)];
    }
    let isLeft = false;
    let isOver = false;
    for (const level of this.#levels) {
      level.note(isSame ? level.ownLots : ownLotsAt(own, level), shownLots(book, level), nowMs);
      if (level.leftLots > 0) isLeft = true;
      if (level.isOver) isOver = true;
    }
    if (isOver) this.#levels = this.#levels.filter((level) => !level.isOver);
    this.#left = isLeft
      ? this.#levels.filter(({ leftLots }) => leftLots > 0).map(({ side, ticks, leftLots }) => ({ side, ticks, lots: leftLots }))
      : NONE;
  }

  /** Own orders, and what the book still shows beside them. */
  with(own: readonly OwnRestingOrder[]): readonly OwnRestingOrder[] {
    return this.#left.length === 0 ? own : [...own, ...this.#left];
  }
}

/** A price at which we have orders, or had them a moment ago. */
class OwnLevel {
  readonly side: Side;
  readonly ticks: Ticks;
  /** What rests of ours. */
  ownLots: Lots = 0;
  /** What the book shows of ours beyond that. */
  leftLots: Lots = 0;
  #shownLots: Lots;
  /** What is others'; NaN while the book has not shown all that is ours. */
  #othersLots: Lots;
  #ownBefore: readonly Before[] = NONE;
  #othersBefore: readonly Before[] = NONE;

  constructor(side: Side, ticks: Ticks, shownLots: Lots) {
    this.side = side;
    this.ticks = ticks;
    this.#shownLots = shownLots;
    this.#othersLots = shownLots;
  }

  /** Whether nothing of ours rests here nor may still be shown. */
  get isOver(): boolean {
    return this.ownLots === 0 && this.#ownBefore.length === 0;
  }

  isAt(side: Side, ticks: Ticks): boolean {
    return this.ticks === ticks && this.side === side;
  }

  note(ownLots: Lots, shownLots: Lots, nowMs: Ms): void {
    const isSame = ownLots === this.ownLots && shownLots === this.#shownLots;
    if (isSame && this.#ownBefore.length === 0) return;
    this.#shownLots = shownLots;
    this.#ownBefore = this.#ownBefore.filter(({ untilMs }) => nowMs < untilMs);
    this.#othersBefore = this.#othersBefore.filter(({ untilMs }) => nowMs < untilMs);
    if (ownLots !== this.ownLots) {
      this.#ownBefore = [{ lots: this.ownLots, untilMs: nowMs + APART_MS }, ...this.#ownBefore];
      this.ownLots = ownLots;
    }
    // What is less than what rests is a book that has not shown an order yet, and none that goes on showing one.
    this.#ownBefore = this.#ownBefore.filter(({ lots }) => lots > ownLots);
    if (this.#isOthers(shownLots - ownLots)) this.#ownBefore = NONE;
    const left = this.#ownBefore.find(({ lots }) => this.#isOthers(shownLots - lots));
    this.leftLots = left === undefined ? 0 : left.lots - ownLots;
    const othersLots = shownLots - (left?.lots ?? ownLots);
    this.#noteOthers(othersLots < 0 ? Number.NaN : othersLots, nowMs);
  }

  #isOthers(lots: Lots): boolean {
    return lots === this.#othersLots || this.#othersBefore.some((before) => before.lots === lots);
  }

  #noteOthers(lots: Lots, nowMs: Ms): void {
    if (Object.is(lots, this.#othersLots)) return;
    if (!Number.isNaN(this.#othersLots)) {
      this.#othersBefore = [{ lots: this.#othersLots, untilMs: nowMs + APART_MS }, ...this.#othersBefore];
    }
    this.#othersLots = lots;
  }
}

const NONE: readonly never[] = [];

/** Those at which an order of ours has come. */
function newLevels(own: readonly OwnRestingOrder[], known: readonly OwnLevel[], book: ReadableBook): readonly OwnLevel[] {
  const levels: OwnLevel[] = [];
  for (const order of own) {
    const isHere = (level: OwnLevel): boolean => level.isAt(order.side, order.ticks);
    if (!known.some(isHere) && !levels.some(isHere)) levels.push(new OwnLevel(order.side, order.ticks, shownLots(book, order)));
  }
  return levels;
}

function shownLots(book: ReadableBook, { side, ticks }: { readonly side: Side; readonly ticks: Ticks }): Lots {
  return (side === "BUY" ? book.bids : book.asks).lotsOf(ticks);
}

function ownLotsAt(own: readonly OwnRestingOrder[], level: OwnLevel): Lots {
  return own.reduce((sum, { side, ticks, lots }) => (level.isAt(side, ticks) ? sum + lots : sum), 0);
}
