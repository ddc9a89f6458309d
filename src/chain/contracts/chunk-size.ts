/** Chunks that fit before one is tried again that was too large: accounts close positions meanwhile. */
const FORGET_AFTER = 64;

/** How many entries the next call of a view holds, learned from the calls before. */
export class ChunkSize {
  readonly #most: number;
  #size: number;
  #tooLarge = Number.POSITIVE_INFINITY;
  #fits = 0;

  /** @param first what to begin with, @param most what it never exceeds; whole numbers, 1 at least. */
  constructor(first: number, most: number) {
    this.#most = Math.max(1, most);
    this.#size = Math.max(1, Math.min(first, this.#most));
  }

  get entries(): number {
    return this.#size;
  }

  /** A call of so many entries was answered: the next may hold a little more, yet less than what was too large lately. */
  fitted(length: number): void {
    this.#fits += 1;
    if (this.#fits >= FORGET_AFTER) this.#tooLarge = Number.POSITIVE_INFINITY;
    if (length < this.#size) return;
    this.#size = Math.max(
      this.#size,
      Math.min(this.#most, this.#tooLarge - 1, this.#size + Math.ceil(this.#size / 16)),
    );
  }

  /** A call of so many entries ran out of gas: the next holds at most the half. */
  ranOut(length: number): void {
    this.#fits = 0;
    this.#tooLarge = Math.min(this.#tooLarge, length);
    this.#size = Math.max(1, Math.min(this.#size, length >> 1));
  }
}
