import type { Tape } from "../../history/columns/tape/tape.js";
import type { ReadableBook } from "../../market/readable-book.js";
import type { BookTrail } from "../book/book-trail.js";
import { ReplayBook } from "../book/replay-book.js";
import { NO_KEY, type ReplaySide } from "../book/replay-side.js";
import { TrailingSide } from "./trailing-side.js";

/** Below the key of no price: where two sides differ that do not. */
const NOWHERE = NO_KEY - 1;
/** Messages between two comparisons, at first and at most: one costs about as much as to apply a hundred messages of a deep book. */
const WAIT_FIRST = 16;
const WAIT_MOST = 1024;

/**
 * A recorded book as it is heard, behind an exchange that plays the same recording. While its messages are heard in the order in which they were told,
 * the best levels are read from the exchange's trail, and the levels of its own stay behind until somebody reads farther, which most strategies never
 * do. Where one message overtakes another, or the trail does not have it (not yet told, of another tape, or of too long ago), the two books part, and
 * this one goes by itself. Once all that was told is heard they are compared: above the best price at which they differ they are one book, and stay
 * one, since a message sets the same levels to the same amounts in both.
 */
export class TrailingBook implements ReadableBook {
  readonly bids: TrailingSide;
  readonly asks: TrailingSide;
  readonly #own = new ReplayBook();
  readonly #trail: BookTrail | undefined;
  /** The trail while it is followed. */
  #followed: BookTrail | undefined;
  /** The best keys at which both books differ. */
  #bidsDiffer = NOWHERE;
  #asksDiffer = NOWHERE;
  #tape: Tape;
  /** Messages of the tape that told of the book, as far as they are heard, and the newest of them by the exchange's clock. */
  #heard = 0;
  #newest = -1;
  /** The places of the tape's local order that are heard and that its own levels lack. */
  #from = 0;
  #to = 0;
  #wait = WAIT_FIRST;
  #left = WAIT_FIRST;

  /** @param trail of an exchange that plays the same tapes; without one the book always goes by itself. */
  constructor(tape: Tape, trail?: BookTrail) {
    this.#tape = tape;
    this.#trail = trail;
    this.#followed = trail;
    const catchUp = (): void => this.#catchUp();
    this.bids = new TrailingSide(this.#own.bids, catchUp);
    this.asks = new TrailingSide(this.#own.asks, catchUp);
  }

  /** Whether the best bid meets or passes the best ask, as only a recording that has not yet seen its snapshot shows it. */
  get crossed(): boolean {
    const { bids, asks } = this;
    return bids.bestKey !== NO_KEY && asks.bestKey !== NO_KEY && bids.bestKey >= -asks.bestKey;
  }

  /** What is heard from now on is of another tape, from a place of its local order. Nothing of the one before is held any more. */
  turn(tape: Tape, place: number): void {
    // One that is given twice begins anew too.
    if (tape === this.#tape && place >= this.#to) return;
    this.#catchUp();
    this.#tape = tape;
    this.#heard = 0;
    this.#newest = -1;
    this.#from = place;
    this.#to = place;
  }

  /** Hears a message that tells of the book. {@link settle} follows before anything is read. @param place of the message in the tape's local order. */
  hear(place: number, message: number): void {
    if (this.#followed?.was(this.#tape, this.#heard, message) === false) this.#followed = undefined;
    this.#heard += 1;
    if (message > this.#newest) this.#newest = message;
    this.#to = place + 1;
    this.#left -= 1;
  }

  /** All of an instant is heard: its best levels are the book's. */
  settle(): void {
    const { bids, asks } = this;
    const followed = this.#followed;
    if (followed !== undefined) {
      const number = this.#heard - 1;
      bids.bestKey = followed.bidKey(number);
      asks.bestKey = followed.askKey(number);
      if (bids.bestKey > this.#bidsDiffer && asks.bestKey > this.#asksDiffer) {
        bids.bestLots = followed.bidLots(number);
        asks.bestLots = followed.askLots(number);
        return;
      }
      this.#followed = undefined;
    }
    this.#catchUp();
    show(bids, this.#own.bids);
    show(asks, this.#own.asks);
    const trail = this.#trail;
    if (this.#left <= 0 && trail?.isAll(this.#tape, this.#heard, this.#newest))
      this.#compare(trail);
  }

  #catchUp(): void {
    if (this.#from === this.#to) return;
    this.#own.applyLocal(this.#tape, this.#from, this.#to);
    this.#from = this.#to;
  }

  /** Follows the trail from here on, as long as the best prices stay above what both books differ in. */
  #compare(trail: BookTrail): void {
    this.#bidsDiffer = bestDifference(this.#own.bids, trail.book.bids);
    this.#asksDiffer = bestDifference(this.#own.asks, trail.book.asks);
    this.#followed = trail;
    this.#wait = Math.min(2 * this.#wait, WAIT_MOST);
    this.#left = this.#wait;
  }
}

function show(side: TrailingSide, { bestKey, bestLots }: ReplaySide): void {
  side.bestKey = bestKey;
  side.bestLots = bestLots;
}

/** The best key at which two sides differ; {@link NOWHERE} where they do not. */
function bestDifference(one: ReplaySide, other: ReplaySide): number {
  let best = NOWHERE;
  const search = (shown: ReplaySide, hidden: ReplaySide): void =>
    shown.walkKeys((key, lots) => {
      if (key <= best) return false;
      if (hidden.lotsAt(key) === lots) return true;
      best = key;
      return false;
    });
  search(one, other);
  search(other, one);
  return best;
}
