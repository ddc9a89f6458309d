/** Mids of the past, for what is reported late. */
export interface PastMids {
  /** The mids of earlier instants are here; that of this instant and later ones is set later. */
  readonly untilUs: number;
  /** Best bid plus best ask at an instant, in ticks; NaN if it is not known. */
  midAt(atUs: number): number;
}

/** Nothing is late. */
const NO_PAST: PastMids = { untilUs: Number.NEGATIVE_INFINITY, midAt: () => Number.NaN };

/** Passed entries that are dropped together, when they are half of the queue. */
const LEAST_DROPPED = 1024;

/**
 * Instants of one market that wait for the mid at several horizons after them. They wait in one
 * queue, in order of time, with a position for each horizon, so that only those within the longest
 * horizon are kept. The mid of an instant is the last one published up to and including it.
 */
export class HorizonQueue<T extends { readonly atUs: number }> {
  readonly #horizonsUs: readonly number[];
  readonly #onDue: (entry: T, horizon: number, midHalfTicks: number) => void;
  #waiting: T[] = [];
  /** Position of each horizon in `#waiting`. */
  readonly #places: number[];
  #nextDueUs = Number.POSITIVE_INFINITY;

  /**
   * @param horizonsUs ascending
   * @param onDue receives each entry once for each horizon, by its index, with best bid plus best
   * ask in ticks; NaN if the mid is not known
   */
  constructor(
    horizonsUs: readonly number[],
    onDue: (entry: T, horizon: number, midHalfTicks: number) => void,
  ) {
    this.#horizonsUs = horizonsUs;
    this.#onDue = onDue;
    this.#places = horizonsUs.map(() => 0);
  }

  /** The earliest instant at which an entry needs a mid. */
  get nextDueUs(): number {
    return this.#nextDueUs;
  }

  /** Number of entries kept because one of their horizons may not be over. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Adds an entry.
   * @param past for one that may be reported after one of its horizons, or after later entries
   */
  add(entry: T, past: PastMids = NO_PAST): void {
    let at = this.#waiting.length;
    while (at > 0 && (this.#waiting[at - 1] as T).atUs > entry.atUs) at -= 1;
    if (at === this.#waiting.length) this.#waiting.push(entry);
    else this.#waiting.splice(at, 0, entry);
    for (const [index, horizonUs] of this.#horizonsUs.entries()) {
      const dueUs = entry.atUs + horizonUs;
      if (dueUs >= past.untilUs) {
        this.#nextDueUs = Math.min(this.#nextDueUs, dueUs);
        break;
      }
      // Every entry before it has passed this horizon too.
      this.#onDue(entry, index, past.midAt(dueUs));
      this.#places[index] = (this.#places[index] as number) + 1;
    }
  }

  /**
   * Sets the mid for all the time before `untilUs`, and reports everything due before it.
   * @param midHalfTicks best bid plus best ask; NaN if it is not known
   */
  settle(untilUs: number, midHalfTicks: number): void {
    let nextDueUs = Number.POSITIVE_INFINITY;
    for (let index = 0; index < this.#horizonsUs.length; index += 1) {
      const horizonUs = this.#horizonsUs[index] as number;
      let place = this.#places[index] as number;
      for (; place < this.#waiting.length; place += 1) {
        const entry = this.#waiting[place] as T;
        const dueUs = entry.atUs + horizonUs;
        if (dueUs >= untilUs) {
          nextDueUs = Math.min(nextDueUs, dueUs);
          break;
        }
        this.#onDue(entry, index, midHalfTicks);
      }
      this.#places[index] = place;
    }
    this.#nextDueUs = nextDueUs;
    this.#forget();
  }

  /**
   * Drops the entries that every horizon has passed: not one by one, but when they are half of the
   * queue.
   */
  #forget(): void {
    const passed = this.#places.at(-1) ?? 0;
    if (passed < LEAST_DROPPED || 2 * passed < this.#waiting.length) return;
    this.#waiting = this.#waiting.slice(passed);
    for (const index of this.#places.keys())
      this.#places[index] = (this.#places[index] ?? 0) - passed;
  }
}
