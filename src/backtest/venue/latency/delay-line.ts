const NEVER_US = Number.POSITIVE_INFINITY;
const FIRST_ROOM = 16;

/**
 * Items in transit, first in, first out: none overtakes another. So each arrives at its own time or
 * at that of the one before it, whichever is later (rule of hftbacktest's order bus).
 */
export class DelayLine<T> {
  /**
   * A ring: while few items are in transit, sending one allocates nothing. Its length is a power of
   * two.
   */
  #items: (T | undefined)[] = new Array(FIRST_ROOM).fill(undefined);
  /** Arrival of each; Infinity where there is none. */
  #dueUs: number[] = new Array(FIRST_ROOM).fill(NEVER_US);
  #first = 0;
  #size = 0;
  #lastUs = Number.NEGATIVE_INFINITY;

  /** When the first one arrives; Infinity when none is in transit. */
  get nextUs(): number {
    return this.#dueUs[this.#first];
  }

  get size(): number {
    return this.#size;
  }

  /** Sends an item. Returns when it arrives. */
  push(item: T, dueUs: number): number {
    if (this.#size === this.#items.length) this.#widen();
    const at = (this.#first + this.#size) & (this.#items.length - 1);
    this.#lastUs = Math.max(this.#lastUs, dueUs);
    this.#items[at] = item;
    this.#dueUs[at] = this.#lastUs;
    this.#size += 1;
    return this.#lastUs;
  }

  /** Takes the first one out. Only when there is one. */
  take(): T {
    const at = this.#first;
    const item = this.#items[at] as T;
    this.#items[at] = undefined;
    this.#dueUs[at] = NEVER_US;
    this.#first = (at + 1) & (this.#items.length - 1);
    this.#size -= 1;
    return item;
  }

  #widen(): void {
    const first = this.#first;
    const room = this.#items.length;
    this.#items = [
      ...this.#items.slice(first),
      ...this.#items.slice(0, first),
      ...new Array(room).fill(undefined),
    ];
    this.#dueUs = [
      ...this.#dueUs.slice(first),
      ...this.#dueUs.slice(0, first),
      ...new Array(room).fill(NEVER_US),
    ];
    this.#first = 0;
  }
}
