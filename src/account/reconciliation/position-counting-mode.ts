/** From when on an exchange's positions have a trade: the specification does not say. */
export type CountedFrom = "match" | "settlement";

/** So many positions in a row: one may have been told beside its trades. */
const CONVINCING = 3;

/** From when on the exchange's positions have a trade, as those that it lists show: one that has, or lacks, trades that have not settled. */
export class Counting {
  #shown: CountedFrom | undefined;
  #times = 0;

  /** A position has shown it. */
  show(from: CountedFrom): void {
    this.#times = from === this.#shown ? this.#times + 1 : 1;
    this.#shown = from;
  }

  /** Undefined until it is beyond chance. */
  get from(): CountedFrom | undefined {
    return this.#times >= CONVINCING ? this.#shown : undefined;
  }
}
