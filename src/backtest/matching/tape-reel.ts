import { RunError } from "../../core/errors.js";
import type { Tape } from "../../history/columns/tape.js";

/** The stretches of one market's history, one after the other, and where they are being played. */
export class TapeReel {
  /** The stretch that is being played. */
  tape: Tape;
  /** Its next message. */
  next = 0;
  readonly #coming: Tape[] = [];
  #last: Tape;

  constructor(tape: Tape) {
    this.tape = tape;
    this.#last = tape;
  }

  /** Stamp of the next message; Infinity when there is none. */
  get nextUs(): number {
    return this.next < this.tape.messages ? this.tape.exchangeUs[this.next] : Number.POSITIVE_INFINITY;
  }

  /** Adds the stretch after the last. @throws RunError when it is of another market or grid, or begins before the last one ends */
  add(tape: Tape): void {
    const last = this.#last;
    const lastUs = last.messages === 0 ? Number.NEGATIVE_INFINITY : last.exchangeUs[last.messages - 1];
    for (const field of ["marketId", "tickSize", "stepSize"] as const) {
      if (tape[field] !== last[field]) throw notNext(field, tape[field], last[field]);
    }
    if (tape.messages === 0) return;
    if (tape.exchangeUs[0] < lastUs) throw notNext("exchangeUs", tape.exchangeUs[0], `at least ${lastUs}`);
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

function notNext(field: string, value: unknown, expected: string): RunError {
  return new RunError("not the next stretch of this history", { field, value, expected });
}
