/** The newest changes of a market's mid. Constant memory, and no allocation after the start. */
export class MidHistory {
  readonly #capacity: number;
  readonly #sinceUs: Float64Array;
  readonly #mids: Float64Array;
  #count = 0;

  /** @param capacity number of changes that are kept */
  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#sinceUs = new Float64Array(capacity);
    this.#mids = new Float64Array(capacity);
  }

  /**
   * Adds a change; the mid of the last one is none.
   * @param sinceUs taken as that of the last change if it is before it
   * @param midHalfTicks best bid plus best ask; NaN from where the mid is not known
   */
  add(sinceUs: number, midHalfTicks: number): void {
    const place = this.#count % this.#capacity;
    const last = (this.#count + this.#capacity - 1) % this.#capacity;
    if (this.#count > 0 && Object.is(this.#mids[last], midHalfTicks)) return;
    // An estimate of the exchange's clock may step back.
    this.#sinceUs[place] =
      this.#count === 0 ? sinceUs : Math.max(sinceUs, this.#sinceUs[last] as number);
    this.#mids[place] = midHalfTicks;
    this.#count += 1;
  }

  /** The mid of an instant: the last one up to and including it. NaN if it is not known. */
  midAt(atUs: number): number {
    const oldest = Math.max(0, this.#count - this.#capacity);
    for (let index = this.#count - 1; index >= oldest; index -= 1) {
      const place = index % this.#capacity;
      if ((this.#sinceUs[place] as number) <= atUs) return this.#mids[place] as number;
    }
    return Number.NaN;
  }
}
