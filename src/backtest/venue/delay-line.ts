/**
 * Things on their way, first in, first out: none overtakes another, so each arrives at its own instant or at that of the one before
 * it, whichever is later (rule of hftbacktest's order bus).
 */
export class DelayLine<T> {
  #items: T[] = [];
  #dueUs: number[] = [];
  #first = 0;
  #lastUs = Number.NEGATIVE_INFINITY;

  /** When the first one arrives; Infinity when nothing is on its way. */
  get nextUs(): number {
    return this.#first === this.#items.length ? Number.POSITIVE_INFINITY : (this.#dueUs[this.#first] as number);
  }

  get size(): number {
    return this.#items.length - this.#first;
  }

  /** Sends one off. Returns when it arrives. */
  push(item: T, dueUs: number): number {
    this.#lastUs = Math.max(this.#lastUs, dueUs);
    this.#items.push(item);
    this.#dueUs.push(this.#lastUs);
    return this.#lastUs;
  }

  /** Takes the first one out. Only when there is one. */
  take(): T {
    const item = this.#items[this.#first] as T;
    this.#first += 1;
    if (this.#first === this.#items.length) {
      this.#items = [];
      this.#dueUs = [];
      this.#first = 0;
    } else if (this.#first >= 1024 && this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#dueUs = this.#dueUs.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }
}
