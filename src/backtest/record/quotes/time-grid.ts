/** Most buckets: the resolution of a chart, and the memory that a run of any length needs. */
export const MOST_BUCKETS = 1024;

/** Width of a bucket at the start of a run, microseconds. */
const FIRST_WIDTH_US = 1000;

/** A value in a chart: a price, a position, or money. */
export type Charted = number | bigint;

/**
 * One series over the buckets of a {@link TimeGrid}: the least, the greatest and the last value of
 * each; undefined where it received none.
 */
export class TimeColumn<T extends Charted> {
  readonly min: (T | undefined)[] = [];
  readonly max: (T | undefined)[] = [];
  readonly last: (T | undefined)[] = [];

  put(bucket: number, value: T): void {
    const { min, max, last } = this;
    while (last.length <= bucket) {
      min.push(undefined);
      max.push(undefined);
      last.push(undefined);
    }
    const least = min[bucket];
    const greatest = max[bucket];
    if (least === undefined || value < least) min[bucket] = value;
    if (greatest === undefined || value > greatest) max[bucket] = value;
    last[bucket] = value;
  }

  /** Joins each two neighbours. */
  halve(): void {
    const { min, max, last } = this;
    const buckets = Math.ceil(last.length / 2);
    for (let bucket = 0; bucket < buckets; bucket += 1) {
      const [left, right] = [2 * bucket, 2 * bucket + 1];
      min[bucket] = least(min[left], min[right]);
      max[bucket] = greatest(max[left], max[right]);
      last[bucket] = last[right] ?? last[left];
    }
    min.length = max.length = last.length = buckets;
  }
}

/** Data kept for each bucket of a {@link TimeGrid}. */
export interface Bucketed {
  /** Joins each two neighbours. */
  halve(): void;
}

/**
 * The time of a run in at most {@link MOST_BUCKETS} equal buckets. They double their width whenever
 * the run outgrows them. So a run of a minute and one of a year take the same memory, and no
 * extreme is lost.
 */
export class TimeGrid {
  readonly startUs: number;
  readonly #columns: Bucketed[] = [];
  /**
   * The width of a first bucket divided by the present width. The width itself would outgrow a
   * small integer in the middle of a run, and V8 would compile every function again that was
   * compiled for one. Divided by a power of two, a quotient is the same to the last bit.
   */
  #share = 1;

  constructor(startUs: number) {
    this.startUs = startUs;
  }

  get widthUs(): number {
    return FIRST_WIDTH_US / this.#share;
  }

  column<T extends Charted>(): TimeColumn<T> {
    return this.attach(new TimeColumn<T>());
  }

  /** Registers a column to be called whenever two buckets are joined. */
  attach<Column extends Bucketed>(column: Column): Column {
    this.#columns.push(column);
    return column;
  }

  /** The bucket of an instant; times before the start are in the first. */
  bucketOf(atUs: number): number {
    while (atUs >= this.startUs + this.widthUs * MOST_BUCKETS) {
      for (const column of this.#columns) column.halve();
      this.#share /= 2;
    }
    return Math.max(0, Math.floor(((atUs - this.startUs) / FIRST_WIDTH_US) * this.#share));
  }
}

function least<T extends Charted>(left: T | undefined, right: T | undefined): T | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return left < right ? left : right;
}

function greatest<T extends Charted>(left: T | undefined, right: T | undefined): T | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return left > right ? left : right;
}
