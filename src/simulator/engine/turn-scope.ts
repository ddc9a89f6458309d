/** Callbacks at the beginning and the end of an event of the exchange. */
export interface TurnScopeDeps {
  begin(): void;
  /** Called however the event ended. */
  end(): void;
}

/** Runs the exchange's events one at a time. An event that begins within another is part of it. */
export class TurnScope {
  readonly #bounds: TurnScopeDeps;
  #depth = 0;

  constructor(bounds: TurnScopeDeps) {
    this.#bounds = bounds;
  }

  /** Runs one event, or a part of one. */
  run<Result>(run: () => Result): Result {
    if (this.#depth === 0) {
      this.#bounds.begin();
    }
    this.#depth += 1;
    try {
      return run();
    } finally {
      this.#depth -= 1;
      if (this.#depth === 0) {
        this.#bounds.end();
      }
    }
  }
}
