import { RunError } from "../../core/errors.js";
import type { Tape } from "../../history/columns/tape/tape.js";
import type { MatchListener } from "./matcher.js";
import { OrderMatcher } from "./order-matcher.js";

/**
 * Matches orders against recorded messages: the parts of one market's history, one after the other.
 */
export abstract class TapeMatcher extends OrderMatcher {
  /** The part that is being played. */
  protected tape: Tape;
  readonly #coming: Tape[] = [];
  #last: Tape;
  #next = 0;
  #nextUs: number;

  constructor(tape: Tape, listener: MatchListener) {
    super(listener);
    this.tape = tape;
    this.#last = tape;
    this.#nextUs = stampOf(tape, 0);
  }

  /**
   * Adds the next part of the same market's history, at any time before or after this one is played
   * out.
   * @throws RunError when it is of another market or grid, or begins before the last one ends
   */
  extend(tape: Tape): void {
    const last = this.#last;
    const lastUs =
      last.messages === 0 ? Number.NEGATIVE_INFINITY : last.exchangeUs[last.messages - 1];
    for (const field of ["marketId", "tickSize", "stepSize"] as const) {
      if (tape[field] !== last[field]) throw notNext(field, tape[field], last[field]);
    }
    if (tape.messages > 0) {
      if (tape.exchangeUs[0] < lastUs)
        throw notNext("exchangeUs", tape.exchangeUs[0], `at least ${lastUs}`);
      this.#coming.push(tape);
      this.#last = tape;
    }
    this.turn();
  }

  /** The next message of the part. */
  protected get next(): number {
    return this.#next;
  }

  protected set next(message: number) {
    this.#next = message;
    this.#nextUs = stampOf(this.tape, message);
  }

  /** Cached: read far more often than it changes. */
  protected get nextHistoryUs(): number {
    return this.#nextUs;
  }

  protected play(untilUs: number, inclusive: boolean): number {
    let stoppedUs: number;
    do stoppedUs = this.playStretch(untilUs, inclusive);
    while (this.turn() && !this.own.hasNotified);
    return stoppedUs;
  }

  /** Plays this part as {@link play} does. */
  protected abstract playStretch(untilUs: number, inclusive: boolean): number;

  /**
   * Moves to the next part. Returns false while this one is not played out, and when there is no
   * next one.
   */
  protected turn(): boolean {
    if (this.#next < this.tape.messages) return false;
    const next = this.#coming.shift();
    if (next === undefined) return false;
    this.tape = next;
    this.next = 0;
    return true;
  }
}

function stampOf({ messages, exchangeUs }: Tape, message: number): number {
  return message < messages ? exchangeUs[message] : Number.POSITIVE_INFINITY;
}

function notNext(field: string, value: unknown, expected: string): RunError {
  return new RunError("is not the next part of this history", { field, value, expected });
}
