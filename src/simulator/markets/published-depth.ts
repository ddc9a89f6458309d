import type { Side, Ticks } from "../../core/units.js";

/** Hears of each changed level. */
export interface DepthFollower {
  onLevel(side: Side, ticks: Ticks): void;
}

/**
 * The sequence of a market's published book and the changes since its last update. Each change of a
 * level is one step of the sequence; an update covers the steps since the previous one.
 */
export class PublishedDepth {
  readonly #followers = new Set<DepthFollower>();
  /** The number of steps so far. */
  sequence: number;
  /** The last published step. */
  publishedSequence: number;
  readonly #bids = new Set<Ticks>();
  readonly #asks = new Set<Ticks>();
  /** False while there are no listeners; then no changes are collected. */
  watched = false;

  constructor(firstSequence: number) {
    this.sequence = firstSequence;
    this.publishedSequence = firstSequence;
  }

  /** Continues from the sequence of an earlier process, with no changes to publish. */
  restore(sequence: number): void {
    this.sequence = sequence;
    this.publishedSequence = sequence;
  }

  /** Records that a level's amount changed. */
  change(side: Side, ticks: Ticks): void {
    this.sequence += 1;
    if (this.watched) {
      (side === "BUY" ? this.#bids : this.#asks).add(ticks);
    }
    if (this.#followers.size > 0) {
      for (const follower of this.#followers) follower.onLevel(side, ticks);
    }
  }

  /** Reports every change from now on to a stream with its own pace, until it is removed. */
  follow(follower: DepthFollower): void {
    this.#followers.add(follower);
  }

  /** Stops reporting to a follower. */
  unfollow(follower: DepthFollower): void {
    this.#followers.delete(follower);
  }

  get hasChanges(): boolean {
    return this.sequence !== this.publishedSequence;
  }

  /** Returns the changed levels and clears them. */
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
