import type { Tape } from "../../history/columns/tape/tape.js";

/**
 * The messages of one market in the order in which they were received. Days follow each other. A
 * message that one day sent late is received before the first of the next day, and none before a
 * message already received.
 */
export class LocalTape {
  /** The tape of the next message. */
  tape: Tape;
  /** The next message; undefined meaning when there is none. */
  message = 0;
  /** When it is received, microseconds since 1970; Infinity when there is none. */
  nextUs = Number.NEGATIVE_INFINITY;
  #receivedUs = Number.NEGATIVE_INFINITY;
  /** Position of the newest received message: read far less often than messages arrive. */
  #lastTape: Tape | undefined;
  #lastMessage = 0;
  /** Index of the next message in the order of the tape's local clock. */
  #place = -1;
  readonly #coming: Tape[] = [];

  constructor(tape: Tape) {
    this.tape = tape;
    this.#step();
  }

  /** Age of the newest message when it was received, microseconds; 0 before the first. */
  get latencyUs(): number {
    return this.#lastTape === undefined
      ? 0
      : this.#receivedUs - (this.#lastTape.exchangeUs[this.#lastMessage] as number);
  }

  /** Adds the next day of the same market. */
  extend(tape: Tape): void {
    this.#coming.push(tape);
    if (this.nextUs !== Number.POSITIVE_INFINITY) return;
    this.#place -= 1;
    this.#step();
  }

  /** Moves to the message after the next one, which has been received. */
  advance(): void {
    this.#receivedUs = this.nextUs;
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
    this.nextUs = Math.max(this.#receivedUs, localUs[this.message] as number);
  }
}
