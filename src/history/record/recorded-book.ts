import { OrderBook } from "../../market/book/order-book.js";

/** A side's levels as flat pairs of ticks and lots. */
export type FlatLevels = readonly number[];

/** Levels that changed, as a message tells them. */
interface LevelChanges {
  readonly beginSequence: number;
  readonly endSequence: number;
  readonly bids: FlatLevels;
  readonly asks: FlatLevels;
}

/**
 * The book as a recorder knows it: each file of a recording begins with it, so that it can be
 * replayed by itself.
 */
export class RecordedBook {
  readonly #book = new OrderBook();
  #sequence: number | undefined;
  /** The last message, where it was an update. */
  #last: LevelChanges | undefined;

  /** Of the last message; undefined while the book is not known. */
  get sequence(): number | undefined {
    return this.#sequence;
  }

  snapshot(sequence: number, bids: FlatLevels, asks: FlatLevels): void {
    this.#book.clear();
    this.#put(bids, asks);
    this.#sequence = sequence;
    this.#last = undefined;
  }

  /**
   * Takes an update. One that is the last message once more, in all that it says, changes nothing;
   * where another does not follow on the last message, the book is not known any more.
   */
  update(changes: LevelChanges): "taken" | "again" | "broken" {
    const { beginSequence, endSequence, bids, asks } = changes;
    if (
      this.#sequence === undefined ||
      beginSequence !== this.#sequence + 1 ||
      endSequence < beginSequence
    ) {
      if (this.#sequence !== undefined && this.#last !== undefined && isSame(changes, this.#last))
        return "again";
      this.#sequence = undefined;
      return "broken";
    }
    this.#put(bids, asks);
    this.#sequence = endSequence;
    this.#last = changes;
    return "taken";
  }

  lose(): void {
    this.#sequence = undefined;
  }

  /** Best first. */
  get bids(): FlatLevels {
    return this.#book.bids.entries();
  }

  get asks(): FlatLevels {
    return this.#book.asks.entries();
  }

  #put(bids: FlatLevels, asks: FlatLevels): void {
    this.#book.bids.setPairs(bids);
    this.#book.asks.setPairs(asks);
  }
}

function isSame(one: LevelChanges, other: LevelChanges): boolean {
  const [said, heard] = [one, other].map(({ beginSequence, endSequence, bids, asks }) =>
    JSON.stringify([beginSequence, endSequence, bids, asks]),
  );
  return said === heard;
}
