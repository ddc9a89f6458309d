import type { TimeColumn, TimeGrid } from "./time-grid.js";

/**
 * Collects values that arrive millions of times a second: it writes a bucket of the grid once, when
 * the next one begins.
 */
export class GatheredColumn {
  readonly #grid: TimeGrid;
  readonly #column: TimeColumn<number>;
  #untilUs = Number.NEGATIVE_INFINITY;
  #fromUs = 0;
  #min = 0;
  #max = 0;
  #last = 0;
  #isEmpty = true;

  constructor(grid: TimeGrid) {
    this.#grid = grid;
    this.#column = grid.column();
  }

  /** In order of time. */
  put(atUs: number, value: number): void {
    if (atUs >= this.#untilUs) this.#begin(atUs, value);
    if (value < this.#min) this.#min = value;
    else if (value > this.#max) this.#max = value;
    this.#last = value;
  }

  /** Includes everything collected so far. */
  get column(): TimeColumn<number> {
    this.#write();
    return this.#column;
  }

  #begin(atUs: number, value: number): void {
    this.#write();
    const bucket = this.#grid.bucketOf(atUs);
    this.#untilUs = this.#grid.startUs + (bucket + 1) * this.#grid.widthUs;
    this.#fromUs = atUs;
    this.#min = value;
    this.#max = value;
    this.#isEmpty = false;
  }

  /** The grid may be wider by now, so the bucket is computed again. */
  #write(): void {
    if (this.#isEmpty) return;
    const bucket = this.#grid.bucketOf(this.#fromUs);
    for (const value of [this.#min, this.#max, this.#last]) this.#column.put(bucket, value);
  }
}
