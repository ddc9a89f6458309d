import type { TimeColumn, TimeGrid } from "./time-grid.js";

/** Gathers what comes millions of times a second: a bucket of the grid is written once, when the next one begins. */
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

  /** In the order of time. */
  put(atUs: number, value: number): void {
    if (atUs >= this.#untilUs) this.#begin(atUs, value);
    if (value < this.#min) this.#min = value;
    else if (value > this.#max) this.#max = value;
    this.#last = value;
  }

  /** With everything that was gathered. */
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

  /** The grid may be wider by now: its bucket of then is asked for anew. */
  #write(): void {
    if (this.#isEmpty) return;
    const bucket = this.#grid.bucketOf(this.#fromUs);
    for (const value of [this.#min, this.#max, this.#last]) this.#column.put(bucket, value);
  }
}
