import type { Tape } from "../../history/columns/tape/tape.js";

/**
 * The messages of one market in the order in which they were heard. Days follow each other: what
 * one sent late is heard before the next one's first, and nothing is heard before what was heard
 * already.
 */
export class LocalTape {
  /** The tape that the next message is of. */
  tape: Tape;
  /** The next message; of no meaning when there is none. */
  message = 0;
  /** When it is heard, microseconds since 1970; Infinity when there is none. */
  nextUs = Number.NEGATIVE_INFINITY;
  #heardUs = Number.NEGATIVE_INFINITY;
  /** Where the newest message that was heard stands: asked for far less often than one is heard. */
  #lastTape: Tape | undefined;
  #lastMessage = 0;
  /** The place of the next message in the order of the tape's local clock. */
  #place = -1;
  readonly #coming: Tape[] = [];

  constructor(tape: Tape) {
    this.tape = tape;
    this.#step();
  }

  /** How old the newest message was when it was heard, microseconds; 0 before the first. */
  get latencyUs(): number {
    return this.#lastTape === undefined
      ? 0
      : this.#heardUs - (this.#lastTape.exchangeUs[this.#lastMessage] as number);
  }

  /** The next day of the same market. */
  extend(tape: Tape): void {
    this.#coming.push(tape);
    if (this.nextUs !== Number.POSITIVE_INFINITY) return;
    this.#place -= 1;
    this.#step();
  }

  /** The next message has been heard: goes on to the one after it. */
  advance(): void {
    this.#heardUs = this.nextUs;
    this.#lastTape = this.tape;
    this.#lastMessage = this.message;
    this.#step();
  }

  #step(): void {
    this.#place += 1;
    while (this.#place >= this.tape.messages) {
      const next = this.#coming.shift();
      if (next === undefined) {
        this.nextUs = Number.POSITIVE_INFINITY;
        return;
      }
      this.tape = next;
      this.#place = 0;
    }
    const { byLocal, localUs } = this.tape;
    this.message = byLocal === undefined ? this.#place : (byLocal[this.#place] as number);
    this.nextUs = Math.max(this.#heardUs, localUs[this.message] as number);
  }
}
