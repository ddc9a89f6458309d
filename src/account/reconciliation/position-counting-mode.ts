/** From when on an exchange's positions have a trade: the specification does not say. */
export type CountingMode = "match" | "settlement";

/** So many positions in a row: one may have been told beside its trades. */
const CONVINCING = 3;

/** From when on the exchange's positions have a trade, as those that it lists show: one that has, or lacks, trades that have not settled. */
export class PositionCountingMode {
  #candidate: CountingMode | undefined;
  #confirmations = 0;

  /** A position has shown it. */
  addEvidence(mode: CountingMode): void {
    this.#confirmations = mode === this.#candidate ? this.#confirmations + 1 : 1;
    this.#candidate = mode;
  }

  /** Undefined until it is beyond chance. */
  get from(): CountingMode | undefined {
    return this.#confirmations >= CONVINCING ? this.#candidate : undefined;
  }
}
