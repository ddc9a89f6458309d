/** Successful chunks before a larger size is tried again: accounts close positions meanwhile. */
const FORGET_AFTER = 64;

/** Number of entries for the next call of a view, learned from earlier calls. */
export class ChunkSize {
  readonly #most: number;
  #size: number;
  #tooLarge = Number.POSITIVE_INFINITY;
  #fits = 0;

  /** @param first the starting size, @param most the largest size; whole numbers, at least 1. */
  constructor(first: number, most: number) {
    this.#most = Math.max(1, most);
    this.#size = Math.max(1, Math.min(first, this.#most));
  }

  get entries(): number {
    return this.#size;
  }

  /**
   * Records a call of `length` entries that succeeded. The next may be a little larger, but smaller
   * than a recent failure.
   */
  fitted(length: number): void {
    this.#fits += 1;
    if (this.#fits >= FORGET_AFTER) this.#tooLarge = Number.POSITIVE_INFINITY;
    if (length < this.#size) return;
    this.#size = Math.max(
      this.#size,
      Math.min(this.#most, this.#tooLarge - 1, this.#size + Math.ceil(this.#size / 16)),
    );
  }

  /** Records a call of `length` entries that ran out of gas. The next has at most half. */
  ranOut(length: number): void {
    this.#fits = 0;
    this.#tooLarge = Math.min(this.#tooLarge, length);
    this.#size = Math.max(1, Math.min(this.#size, length >> 1));
  }
}
