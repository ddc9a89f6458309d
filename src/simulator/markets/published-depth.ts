import type { Side, Ticks } from "../../core/units.js";

/**
 * The counter of a market's published book and what changed since it was last published. Each
 * change of a level is one step of the sequence; an update covers the steps since the one before
 * it.
 */
export class PublishedDepth {
  /** Steps so far. */
  sequence: number;
  /** The last step that was published. */
  publishedSequence: number;
  readonly #bids = new Set<Ticks>();
  readonly #asks = new Set<Ticks>();
  /** Whether anybody listens; nothing is gathered while nobody does. */
  watched = false;

  constructor(firstSequence: number) {
    this.sequence = firstSequence;
    this.publishedSequence = firstSequence;
  }

  /** Goes on from a step of an earlier process, with nothing left to publish. */
  restore(sequence: number): void {
    this.sequence = sequence;
    this.publishedSequence = sequence;
  }

  /** A level's amount changed. */
  change(side: Side, ticks: Ticks): void {
    this.sequence += 1;
    if (this.watched) {
      (side === "BUY" ? this.#bids : this.#asks).add(ticks);
    }
  }

  get hasChanges(): boolean {
    return this.sequence !== this.publishedSequence;
  }

  /** Hands over the changed levels and starts afresh. */
  take(): { beginSequence: number; endSequence: number; bids: Ticks[]; asks: Ticks[] } {
    const taken = {
      beginSequence: this.publishedSequence + 1,
      endSequence: this.sequence,
      bids: [...this.#bids],
      asks: [...this.#asks],
    };
    this.#bids.clear();
    this.#asks.clear();
    this.publishedSequence = this.sequence;
    return taken;
  }
}
