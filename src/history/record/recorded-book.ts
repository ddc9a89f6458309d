import type { Lots, Ticks } from "../../core/units.js";

/** A side's levels as flat pairs of ticks and lots. */
export type FlatLevels = readonly number[];

/** The book as a recorder knows it: each file of a recording begins with it, so that it can be replayed by itself. */
export class RecordedBook {
  readonly #bids = new Map<Ticks, Lots>();
  readonly #asks = new Map<Ticks, Lots>();
  #sequence: number | undefined;

  /** Of the last message; undefined while the book is not known. */
  get sequence(): number | undefined {
    return this.#sequence;
  }

  snapshot(sequence: number, bids: FlatLevels, asks: FlatLevels): void {
    this.#bids.clear();
    this.#asks.clear();
    put(this.#bids, bids);
    put(this.#asks, asks);
    this.#sequence = sequence;
  }

  /** Takes an update. @returns false where it does not follow on the last message: the book is not known any more */
  update(beginSequence: number, endSequence: number, bids: FlatLevels, asks: FlatLevels): boolean {
    if (this.#sequence === undefined || beginSequence !== this.#sequence + 1 || endSequence < beginSequence) {
      this.#sequence = undefined;
      return false;
    }
    put(this.#bids, bids);
    put(this.#asks, asks);
    this.#sequence = endSequence;
    return true;
  }

  lose(): void {
    this.#sequence = undefined;
  }

  /** Best first. */
  get bids(): FlatLevels {
    return [...this.#bids].sort(([one], [other]) => other - one).flat();
  }
  get asks(): FlatLevels {
    return [...this.#asks].sort(([one], [other]) => one - other).flat();
  }
}

function put(side: Map<Ticks, Lots>, levels: FlatLevels): void {
  for (let at = 0; at < levels.length; at += 2) {
    const [ticks, lots] = [levels[at] as number, levels[at + 1] as number];
    if (lots === 0) side.delete(ticks);
    else side.set(ticks, lots);
  }
}
