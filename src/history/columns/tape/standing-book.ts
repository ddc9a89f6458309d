import { StandingSide } from "./standing-side.js";
import { type Tape, TapeKind } from "./tape.js";

/** Rows of a message, bids before asks. */
export type StandingRows = readonly (readonly [signedTicks: number, lots: number])[];

/** The book that a recording leaves behind: what a replay that begins in its middle begins with. */
export class StandingBook {
  readonly #bids = new StandingSide();
  readonly #asks = new StandingSide();
  /** When the recorder had all of it, and whether any message of a book was seen. */
  #heardUs = Number.NEGATIVE_INFINITY;
  #isKnown = false;

  /** Whether a snapshot has come, and the book was not lost since. */
  get isKnown(): boolean {
    return this.#isKnown;
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
      if (kind === TapeKind.bookLost) this.#lose();
      if (kind === TapeKind.bookSnapshot) this.#replace(tape.signedTicks.subarray(from, to));
      for (let row = from; row < to; row++) {
        const key = tape.signedTicks[row] as number;
        (key > 0 ? this.#bids : this.#asks).set(key, tape.lots[row] as number);
      }
      this.#bids.settle();
      this.#asks.settle();
      this.#heardUs = Math.max(this.#heardUs, tape.localUs[at] as number);
    }
  }

  /** What is known of it, as a snapshot that reaches just as far: where nothing stands at its worst price, that is a row without lots. */
  known(): StandingRows {
    return [...knownOf(this.#bids), ...knownOf(this.#asks)];
  }

  /** Levels that were told of beyond what is known, or while nothing was. */
  beyond(): StandingRows {
    return [this.#bids, this.#asks].flatMap(({ levels, leastKey }) =>
      levels.filter(([key]) => key < leastKey),
    );
  }

  #lose(): void {
    this.#isKnown = false;
    this.#bids.lose();
    this.#asks.lose();
  }

  #replace(signedTicks: Int32Array): void {
    this.#isKnown = true;
    let [leastBid, leastAsk] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const key of signedTicks) {
      if (key > 0) leastBid = Math.min(leastBid, key);
      else leastAsk = Math.min(leastAsk, key);
    }
    if (leastBid !== Number.POSITIVE_INFINITY) this.#bids.replaceFrom(leastBid);
    if (leastAsk !== Number.POSITIVE_INFINITY) this.#asks.replaceFrom(leastAsk);
  }
}

function knownOf({ levels, leastKey }: StandingSide): StandingRows {
  if (leastKey === Number.POSITIVE_INFINITY) return [];
  const known = levels.filter(([key]) => key >= leastKey);
  return known.at(-1)?.[0] === leastKey ? known : [...known, [leastKey, 0]];
}
