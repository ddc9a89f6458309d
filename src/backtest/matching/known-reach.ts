import type { Tape } from "../../history/columns/tape/tape.js";
import { NO_KEY } from "../book/replay-side.js";

/** Nothing is known: no snapshot has come, or the book was lost since. */
const NOWHERE = Number.POSITIVE_INFINITY;

/**
 * How far down one side a recording tells what stands there. Many recorders cut their snapshots off, after twenty levels or a thousand: of what lies behind the last
 * one, empty and full look alike. Prices that the side's best has been behind since are known too: nobody stood there then, and what came is told.
 */
export class KnownReach {
  readonly #isBids: boolean;
  /** The worst key that is known. */
  #leastKey = NOWHERE;

  constructor(isBids: boolean) {
    this.#isBids = isBids;
  }

  /** Whether what stands at the price of a key is told. */
  knows(key: number): boolean {
    return key >= this.#leastKey;
  }

  /** Whether nothing is known of the side but what updates have shown. */
  get isUntold(): boolean {
    return this.#leastKey === NOWHERE;
  }

  /** A snapshot with the rows from `from` to `to`, exclusive; one without a row of this side says nothing of it. */
  snapshot({ signedTicks }: Pick<Tape, "signedTicks">, from: number, to: number): void {
    let leastKey = NOWHERE;
    for (let row = from; row < to; row++) {
      const key = signedTicks[row];
      if (key > 0 === this.#isBids && key < leastKey) leastKey = key;
    }
    if (leastKey !== NOWHERE) this.#leastKey = leastKey;
  }

  /** The book was lost. */
  lose(): void {
    this.#leastKey = NOWHERE;
  }

  /** The best of the side is at a key now. */
  best(key: number): void {
    if (key < this.#leastKey && key !== NO_KEY && this.#leastKey !== NOWHERE) this.#leastKey = key;
  }
}
