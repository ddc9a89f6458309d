import { type Tape, TapeKind } from "./tape.js";

/** The book that a recording leaves behind: what a replay that begins in its middle begins with. */
export class StandingBook {
  /** Lots by signed ticks: bids above zero, asks below, as in a tape. */
  readonly #lots = new Map<number, number>();
  /** When the recorder had all of it, and whether any message of a book was seen. */
  #heardUs = Number.NEGATIVE_INFINITY;
  #isKnown = false;

  /** Whether a snapshot has come, and the book was not lost since. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  get levels(): number {
    return this.#lots.size;
  }

  /** The largest local stamp of what it was made of; minus infinity where that was nothing. */
  get heardUs(): number {
    return this.#heardUs;
  }

  /** Takes the first `messages` messages of a tape. */
  play(tape: Tape, messages: number): void {
    for (let at = 0; at < messages; at++) {
      const kind = tape.kind[at];
      if (kind === TapeKind.trade) continue;
      const from = at === 0 ? 0 : (tape.rowEnd[at - 1] as number);
      const to = tape.rowEnd[at] as number;
      if (kind !== TapeKind.bookUpdate) {
        this.#isKnown = kind === TapeKind.bookSnapshot;
        this.#clear(tape.signedTicks.subarray(from, to));
      }
      for (let row = from; row < to; row++) {
        const ticks = tape.signedTicks[row] as number;
        const lots = tape.lots[row] as number;
        if (lots === 0) this.#lots.delete(ticks);
        else this.#lots.set(ticks, lots);
      }
      this.#heardUs = Math.max(this.#heardUs, tape.localUs[at] as number);
    }
  }

  /** Its levels from the best bid down, then from the best ask up. */
  rows(): readonly (readonly [signedTicks: number, lots: number])[] {
    return [...this.#lots].sort(([one], [other]) => other - one);
  }

  /** Drops what a snapshot with these rows replaces: each side from the snapshot's worst price on. */
  #clear(signedTicks: Int32Array): void {
    let [worstBid, worstAsk] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const ticks of signedTicks) {
      if (ticks > 0) worstBid = Math.min(worstBid, ticks);
      else worstAsk = Math.max(worstAsk, -ticks);
    }
    for (const ticks of this.#lots.keys()) {
      if (ticks > 0 ? ticks >= worstBid : -ticks <= worstAsk) this.#lots.delete(ticks);
    }
  }
}
