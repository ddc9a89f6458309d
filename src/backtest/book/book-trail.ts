import type { Lots } from "../../core/units.js";
import type { Tape } from "../../history/columns/tape/tape.js";
import { ReplayBook } from "./replay-book.js";

/** Messages of a book that are remembered, a power of two: more are hardly ever under way at once. */
const REMEMBERED = 1024;
const SLOT = REMEMBERED - 1;

/**
 * What the exchange's book had for its best levels after each of the last messages that told of it. Whoever hears them later finds them here, and need
 * not make the same book once more.
 */
export class BookTrail {
  /** The book that left it, as it stands now. */
  readonly book = new ReplayBook();
  /** How many messages of the tape told of the book so far, and which was the last to tell of it, of whatever tape. */
  #told = 0;
  #last = -1;
  #tape: Tape | undefined;
  readonly #messages = new Int32Array(REMEMBERED);
  readonly #keys = new Int32Array(2 * REMEMBERED);
  readonly #lots = new Float64Array(2 * REMEMBERED);

  /** What is told from now on is of another tape. */
  turn(tape: Tape): void {
    this.#tape = tape;
    this.#told = 0;
  }

  /** A message of the tape has been applied to the book. */
  tell(message: number): void {
    const slot = this.#told & SLOT;
    const { bids, asks } = this.book;
    this.#messages[slot] = message;
    this.#keys[2 * slot] = bids.bestKey;
    this.#keys[2 * slot + 1] = asks.bestKey;
    this.#lots[2 * slot] = bids.bestLots;
    this.#lots[2 * slot + 1] = asks.bestLots;
    this.#told += 1;
    this.#last = message;
  }

  /** Key of the best bid after the message of a number, one that is remembered as {@link was} says; `NO_KEY` on an empty side. */
  bidKey(number: number): number {
    return this.#keys[2 * (number & SLOT)];
  }

  /** The same of the best ask. */
  askKey(number: number): number {
    return this.#keys[2 * (number & SLOT) + 1];
  }

  /** Lots at the best bid then; 0 on an empty side. */
  bidLots(number: number): Lots {
    return this.#lots[2 * (number & SLOT)];
  }

  /** The same of the best ask. */
  askLots(number: number): Lots {
    return this.#lots[2 * (number & SLOT) + 1];
  }

  /** Whether a message was, by its number, the next of a tape's that told of the book, counted from 0; false where it is not told yet, or forgotten. */
  was(tape: Tape, number: number, message: number): boolean {
    // What is forgotten has left its place to another message of the tape.
    return tape === this.#tape && number < this.#told && this.#messages[number & SLOT] === message;
  }

  /** Whether so many messages of a tape, of which the newest is this, are all that have told of the book. */
  isAll(tape: Tape, told: number, newest: number): boolean {
    return tape === this.#tape && told === this.#told && newest === this.#last;
  }
}
