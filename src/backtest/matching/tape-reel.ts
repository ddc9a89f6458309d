import { RunError } from "../../core/errors.js";
import type { Tape } from "../../history/columns/tape/tape.js";

/** The stretches of one market's history, one after the other, and where they are being played. */
export class TapeReel {
  /** The stretch that is being played. */
  tape: Tape;
  readonly #coming: Tape[] = [];
  #last: Tape;
  #next = 0;
  #nextUs: number;

  constructor(tape: Tape) {
    this.tape = tape;
    this.#last = tape;
    this.#nextUs = stampOf(tape, 0);
  }

  /** The next message of the stretch. */
  get next(): number {
    return this.#next;
  }

  set next(message: number) {
    this.#next = message;
    this.#nextUs = stampOf(this.tape, message);
  }

  /** Stamp of the next message; Infinity when there is none. Asked far more often than it changes. */
  get nextUs(): number {
    return this.#nextUs;
  }

  /** Adds the stretch after the last. @throws RunError when it is of another market or grid, or begins before the last one ends */
  add(tape: Tape): void {
    const last = this.#last;
    const lastUs =
      last.messages === 0 ? Number.NEGATIVE_INFINITY : last.exchangeUs[last.messages - 1];
    for (const field of ["marketId", "tickSize", "stepSize"] as const) {
      if (tape[field] !== last[field]) throw notNext(field, tape[field], last[field]);
    }
    if (tape.messages === 0) return;
    if (tape.exchangeUs[0] < lastUs)
      throw notNext("exchangeUs", tape.exchangeUs[0], `at least ${lastUs}`);
    this.#coming.push(tape);
    this.#last = tape;
  }

  /** Goes on to the next stretch. False while this one has something left, and when there is none after it. */
  turn(): boolean {
    if (this.next < this.tape.messages) return false;
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
  return new RunError("not the next stretch of this history", { field, value, expected });
}
