import { absolute, smaller } from "../../core/bigints.js";
import type { PaperUnits } from "../../core/units.js";

/**
 * The sizes of a position that may be requested. They are whole lots or, if a fractional own
 * position would be reduced, sizes that leave the own position in whole lots. A fractional
 * remainder of the victim stays with it, because it cannot be sold on the book.
 */
export class SizeGrid {
  readonly #sign: bigint;
  readonly #lot: PaperUnits;
  /** The fraction of a lot in the own position, which the first size removes. */
  readonly #odd: PaperUnits;
  /** Index of the largest size within the position. */
  readonly count: bigint;

  /** @param held the own position in that market. */
  constructor(position: PaperUnits, held: PaperUnits, lot: PaperUnits) {
    this.#sign = position > 0n ? 1n : -1n;
    this.#lot = lot;
    const isReducing = held !== 0n && held > 0n !== position > 0n;
    const odd = isReducing ? absolute(held) % lot : 0n;
    const whole = absolute(position) - odd;
    this.#odd = whole < 0n ? 0n : odd;
    this.count = whole < 0n ? absolute(position) / lot : whole / lot + (odd > 0n ? 1n : 0n);
  }

  /** Signed paper of a size; 0 for index 0. */
  paper(index: bigint): PaperUnits {
    if (index === 0n) return 0n;
    return this.#sign * (this.#odd > 0n ? this.#odd + (index - 1n) * this.#lot : index * this.#lot);
  }

  /**
   * Index of the smallest size of at least `size`, unsigned; the largest index if there is none.
   */
  indexFrom(size: PaperUnits): bigint {
    const within = this.indexWithin(size);
    return absolute(this.paper(within)) >= size ? within : smaller(this.count, within + 1n);
  }

  /** Index of the largest size of at most `size`, unsigned. */
  indexWithin(size: PaperUnits): bigint {
    const whole = size - this.#odd;
    if (whole < 0n) return 0n;
    return smaller(this.count, whole / this.#lot + (this.#odd > 0n ? 1n : 0n));
  }
}
