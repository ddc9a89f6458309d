/** The event from which an exchange's positions include a trade: the specification does not say. */
export type CountingMode = "match" | "settlement";

/**
 * Required number of consistent positions in a row. One may have been reported out of step with its
 * trades.
 */
const CONVINCING = 3;

/**
 * Infers whether the exchange's positions count a trade from its match or from its settlement. The
 * evidence is a listed position that includes, or lacks, unsettled trades.
 */
export class PositionCountingMode {
  #candidate: CountingMode | undefined;
  #confirmations = 0;

  /** Records the evidence of one position. */
  addEvidence(mode: CountingMode): void {
    this.#confirmations = mode === this.#candidate ? this.#confirmations + 1 : 1;
    this.#candidate = mode;
  }

  /** The counting mode; undefined until chance is ruled out. */
  get from(): CountingMode | undefined {
    return this.#confirmations >= CONVINCING ? this.#candidate : undefined;
  }
}
