import { OrderBook } from "../../market/book/order-book.js";

/** A side's levels as flat pairs of ticks and lots. */
export type FlatLevels = readonly number[];

/** The changed levels of a message. */
interface LevelChanges {
  readonly beginSequence: number;
  readonly endSequence: number;
  readonly bids: FlatLevels;
  readonly asks: FlatLevels;
}

/**
 * The recorder's copy of the book. Each file of a recording begins with it, so that the file can be
 * replayed alone.
 */
export class RecordedBook {
  readonly #book = new OrderBook();
  #sequence: number | undefined;
  /** The last message, if it was an update. */
  #last: LevelChanges | undefined;

  /** Sequence of the last message; undefined while the book is unknown. */
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
   * Applies an update. An exact repeat of the last message changes nothing. If another message does
   * not follow the last one, the book becomes unknown.
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
